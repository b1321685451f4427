//! An Indexed Job of Kubernetes.

use super::job::{Job, Places};

/// A text as YAML writes it; JSON's texts are YAML's.
fn text(value: &str) -> String {
    serde_json::to_string(value).expect("a text is plain data")
}

/// A name as Kubernetes has them.
fn name(job: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let name: String = job.chars().map(plain).take(50).collect();
    format!("picloom-{}", name.trim_matches('-')).trim_end_matches('-').into()
}

pub(super) fn manifest(job: &Job<'_>) -> String {
    let Places { command, plan, store } = job.places;
    let r = job.resources;
    let parallelism = r.array_parallelism.unwrap_or(job.tasks).min(job.tasks);
    let tasks = job.tasks.to_string();
    let cpus = r.cpus_per_task.to_string();
    let rest =
        ["run", plan, "--store", store, "--threads", &cpus, "--index", "auto", "--shards", &tasks];
    let arguments: Vec<String> = command.iter().map(String::as_str).chain(rest).map(text).collect();
    format!(
        r#"# {about}
# kubectl apply -f FILE. The volume {volume} is a PersistentVolumeClaim that all pods may write to.
apiVersion: batch/v1
kind: Job
metadata:
  name: {name}
spec:
  completionMode: Indexed
  completions: {tasks}
  parallelism: {parallelism}
  # A share is begun again up to six times; what it has finished stays finished.
  backoffLimitPerIndex: 6
  podFailurePolicy:
    rules:
      # Evicted, or told to end (exit code 130): no failure of the share.
      - action: Ignore
        onPodConditions:
          - type: DisruptionTarget
            status: "True"
      - action: Ignore
        onExitCodes:
          containerName: picloom
          operator: In
          values: [130]
  template:
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 30
      containers:
        - name: picloom
          image: {image}
          workingDir: /work
          command: [{command}]
          resources:
            requests:
              cpu: {cpus}
              memory: {mem}G
            limits:
              memory: {mem}G
          volumeMounts:
            - name: work
              mountPath: /work
      volumes:
        - name: work
          persistentVolumeClaim:
            claimName: {volume}
"#,
        about = job.about(),
        name = name(job.name),
        image = text(&r.image),
        volume = r.volume,
        command = arguments.join(", "),
        mem = r.mem_gb,
    )
}
