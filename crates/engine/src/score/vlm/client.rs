//! The HTTP client: asks, checks, waits, asks again, and keeps what it was told.

use super::config::VlmConfig;
use super::fault::{Fault, VlmError, beginning};
use super::question::Question;
use super::store::Store;
use crate::score::judge::JudgeUsage;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Largest answer that is read.
const LARGEST_ANSWER: u64 = 4 << 20;

/// A connection to one model on one server. Shared by threads.
pub(crate) struct Client {
    config: VlmConfig,
    endpoint: String,
    agent: ureq::Agent,
    store: Store,
    /// Keys of questions being asked: an equal question waits for the first one's answer.
    asking: (Mutex<BTreeSet<String>>, Condvar),
    /// Requests under way.
    under_way: (Mutex<usize>, Condvar),
    meter: Mutex<Meter>,
}

#[derive(Default)]
struct Meter {
    usage: JudgeUsage,
    seconds: Vec<f64>,
}

/// The parts of a chat completion that are read.
#[derive(Deserialize)]
struct Completion {
    choices: Vec<CompletionChoice>,
    usage: Option<CompletionUsage>,
}

#[derive(Deserialize)]
struct CompletionChoice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
    refusal: Option<String>,
}

#[derive(Deserialize, Default, Clone, Copy)]
struct CompletionUsage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

/// The result of one attempt: the raw response for the log, and the answer's text or a fault.
struct Attempt {
    status: Option<u16>,
    response: Option<String>,
    tokens: CompletionUsage,
    text: Result<String, Fault>,
}

impl Attempt {
    fn failed(fault: Fault) -> Self {
        Attempt {
            status: None,
            response: None,
            tokens: CompletionUsage::default(),
            text: Err(fault),
        }
    }
}

impl Client {
    /// A client; nothing is sent yet.
    ///
    /// # Errors
    /// The configuration is wrong, or the cache folder cannot be used.
    pub(crate) fn new(config: VlmConfig) -> Result<Self, VlmError> {
        let endpoint = config.endpoint()?;
        let mut agent = ureq::Agent::config_builder()
            .timeout_global(Some(config.timeout))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("picloom/", env!("CARGO_PKG_VERSION")));
        if config.is_local() {
            agent = agent.proxy(None);
        }
        Ok(Client {
            endpoint,
            agent: agent.build().new_agent(),
            store: Store::open(&config.cache)?,
            asking: Default::default(),
            under_way: Default::default(),
            meter: Mutex::default(),
            config,
        })
    }

    /// The configuration.
    pub(crate) fn config(&self) -> &VlmConfig {
        &self.config
    }

    /// The answer to `question` by `read`, from the cache or from the server. `read` turns the
    /// model's text into the answer, or says what it found instead; only texts it accepts are kept.
    ///
    /// # Errors
    /// No usable answer after all attempts; a fault that does not pass; a spoilt cache.
    pub(crate) fn ask<T>(
        &self,
        question: &Question,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<T, VlmError> {
        let key = question.key(&self.config);
        let _claim = self.claim(&key);
        lock(&self.meter).usage.questions += 1;
        if let Some(kept) = self.store.kept(&key)? {
            lock(&self.meter).usage.from_cache += 1;
            return read(&kept.answer).map_err(|found| VlmError::Cache {
                path: self.config.cache.clone(),
                problem: format!("expected a valid kept answer for {key}, found {found}"),
            });
        }
        let body = question.body(&self.config).to_string();
        let shown = question.shown(&self.config);
        for attempt in 1.. {
            let (fault, answer) = {
                let _permit = self.permit();
                let started = Instant::now();
                let mut got = self.send(&body);
                let seconds = started.elapsed().as_secs_f64();
                let answer = match std::mem::replace(&mut got.text, Ok(String::new())) {
                    Ok(text) => match read(&text) {
                        Ok(answer) => Ok((text, answer)),
                        Err(found) => Err(Fault::Answer(beginning(&found))),
                    },
                    Err(fault) => Err(fault),
                };
                self.note(&key, attempt, &shown, &got, answer.as_ref().err(), seconds)?;
                match answer {
                    Ok((text, answer)) => {
                        let tokens = (got.tokens.prompt_tokens, got.tokens.completion_tokens);
                        self.store.keep(&key, shown.clone(), &text, tokens, seconds)?;
                        (None, Some(answer))
                    }
                    Err(fault) => (Some(fault), None),
                }
            };
            if let Some(answer) = answer {
                return Ok(answer);
            }
            let fault = fault.expect("an attempt brings an answer or a fault");
            if attempt >= self.config.attempts || !fault.may_pass(self.config.longest_wait) {
                return Err(VlmError::NoAnswer {
                    endpoint: self.endpoint.clone(),
                    attempts: attempt,
                    fault,
                });
            }
            std::thread::sleep(self.wait(&key, attempt, &fault));
        }
        unreachable!("the last attempt returns")
    }

    /// The usage so far.
    pub(crate) fn usage(&self) -> JudgeUsage {
        let meter = lock(&self.meter);
        let mut seconds = meter.seconds.clone();
        seconds.sort_by(f64::total_cmp);
        JudgeUsage {
            median_seconds: seconds.get(seconds.len() / 2).copied(),
            longest_seconds: seconds.last().copied(),
            ..meter.usage.clone()
        }
    }

    fn send(&self, body: &str) -> Attempt {
        let mut request =
            self.agent.post(&self.endpoint).header("Content-Type", "application/json");
        if let Some(key) = &self.config.key {
            request = request.header("Authorization", key.header());
        }
        let mut response = match request.send(body) {
            Ok(response) => response,
            Err(e) => return Attempt::failed(self.fault_of(&e)),
        };
        let status = response.status().as_u16();
        let retry_after = response
            .headers()
            .get("retry-after")
            .and_then(|v| v.to_str().ok()?.trim().parse().ok())
            .map(Duration::from_secs);
        let read = response.body_mut().with_config().limit(LARGEST_ANSWER).read_to_vec();
        let text = match read {
            Ok(bytes) => self.without_key(&String::from_utf8_lossy(&bytes)),
            Err(e) => {
                return Attempt { status: Some(status), ..Attempt::failed(self.fault_of(&e)) };
            }
        };
        let mut attempt = Attempt {
            status: Some(status),
            response: Some(text),
            tokens: CompletionUsage::default(),
            text: Ok(String::new()),
        };
        let response = attempt.response.as_deref().unwrap_or_default();
        attempt.text = match status {
            200..=299 => completion(response).and_then(|completion| {
                attempt.tokens = completion.usage.unwrap_or_default();
                text_of(completion)
            }),
            401 | 403 => Err(Fault::Key {
                status,
                hint: match &self.config.key {
                    Some(key) => format!("the one in {} was not accepted", key.variable()),
                    None => "none was sent: name the variable that holds it".to_string(),
                },
            }),
            _ => Err(Fault::Status { status, body: beginning(response), retry_after }),
        };
        attempt
    }

    fn without_key(&self, text: &str) -> String {
        match &self.config.key {
            Some(key) => key.hidden_in(text),
            None => text.to_string(),
        }
    }

    fn fault_of(&self, error: &ureq::Error) -> Fault {
        let timed_out = |e: &std::io::Error| e.kind() == std::io::ErrorKind::TimedOut;
        match error {
            ureq::Error::Timeout(_) => Fault::Timeout(self.config.timeout),
            ureq::Error::Io(e) if timed_out(e) => Fault::Timeout(self.config.timeout),
            other => Fault::Connection(self.without_key(&other.to_string())),
        }
    }

    /// Logs an attempt and adds it to the meter.
    fn note(
        &self,
        key: &str,
        attempt: u32,
        shown: &Value,
        got: &Attempt,
        fault: Option<&Fault>,
        seconds: f64,
    ) -> Result<(), VlmError> {
        {
            let mut meter = lock(&self.meter);
            meter.usage.requests += 1;
            meter.usage.failed += usize::from(fault.is_some());
            meter.usage.prompt_tokens += got.tokens.prompt_tokens;
            meter.usage.completion_tokens += got.tokens.completion_tokens;
            if fault.is_none() {
                meter.seconds.push(seconds);
            }
        }
        let time = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0.0, |d| d.as_secs_f64());
        self.store.log(&json!({
            "unix_seconds": time,
            "endpoint": self.endpoint,
            "key": key,
            "attempt": attempt,
            "request": shown,
            "status": got.status,
            "response": got.response,
            "fault": fault.map(|f| json!({"kind": f.kind(), "message": f.to_string()})),
            "seconds": seconds,
        }))
    }

    /// The server's wish, else the first wait doubled for each attempt, ± 25 % by the question's
    /// hash so that many threads do not come back together.
    fn wait(&self, key: &str, attempt: u32, fault: &Fault) -> Duration {
        if let Some(wait) = fault.retry_after() {
            return wait;
        }
        let hash = u32::from_str_radix(&key[..4], 16).unwrap_or(0);
        let spread = 0.75 + 0.5 * f64::from(hash) / f64::from(0xffff);
        let doubled = self.config.first_wait * 2u32.pow((attempt - 1).min(16));
        doubled.min(self.config.longest_wait).mul_f64(spread)
    }

    /// Waits until nobody asks this question, then asks it alone.
    fn claim(&self, key: &str) -> Claim<'_> {
        let (asking, freed) = &self.asking;
        let mut asking = lock(asking);
        while asking.contains(key) {
            asking = freed.wait(asking).unwrap_or_else(PoisonError::into_inner);
        }
        asking.insert(key.to_string());
        Claim { client: self, key: key.to_string() }
    }

    /// Waits for a place among the requests under way.
    fn permit(&self) -> Permit<'_> {
        let (count, freed) = &self.under_way;
        let mut count = lock(count);
        while *count >= self.config.at_a_time {
            count = freed.wait(count).unwrap_or_else(PoisonError::into_inner);
        }
        *count += 1;
        Permit { client: self }
    }
}

/// The model's text in a server's answer.
///
/// # Errors
/// It is no chat completion, or one without a usable text.
pub fn read_completion(body: &str) -> Result<String, Fault> {
    text_of(completion(body)?)
}

fn completion(body: &str) -> Result<Completion, Fault> {
    serde_json::from_str(body).map_err(|e| Fault::Envelope(format!("{e} in {}", beginning(body))))
}

/// The model's text, or why there is none.
fn text_of(completion: Completion) -> Result<String, Fault> {
    let Some(choice) = completion.choices.into_iter().next() else {
        return Err(Fault::Envelope("no choices".into()));
    };
    if let Some(refusal) = choice.message.refusal.filter(|r| !r.is_empty()) {
        return Err(Fault::Refusal(beginning(&refusal)));
    }
    let finish = choice.finish_reason.as_deref().unwrap_or("");
    if finish == "content_filter" {
        return Err(Fault::Refusal("its content filter stopped the answer".into()));
    }
    match choice.message.content.filter(|c| !c.trim().is_empty()) {
        Some(text) if finish == "length" => Err(Fault::Answer(format!(
            "an answer cut off by the token limit: {}",
            beginning(&text)
        ))),
        Some(text) => Ok(text),
        None => Err(Fault::Answer(format!("no text (finish reason {finish:?})"))),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Claim<'a> {
    client: &'a Client,
    key: String,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let (asking, freed) = &self.client.asking;
        lock(asking).remove(&self.key);
        freed.notify_all();
    }
}

struct Permit<'a> {
    client: &'a Client,
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let (count, freed) = &self.client.under_way;
        *lock(count) -= 1;
        freed.notify_one();
    }
}
