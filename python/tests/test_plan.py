"""Plans: cells worked on from Python, alone and by Dask's workers, give the bytes of a run on one machine."""

import shutil

import pytest

import picloom
from conftest import ROOT

CHAINS = """kind = "networks"
name = "chains"
question = "Does it run?"
size = 8
steps = 40
seeds = [0, 1, 2]
sample = 2
[[targets]]
name = "face"
picture = "face.png"
arch = "2;gaussian:2,sin:2"
[[arms]]
name = "dense"
wiring = "dense"
[[variants]]
name = "base"
[[variants]]
name = "slow"
lr = 1e-3
[[variants]]
name = "lion"
optimizer = "lion"
[[variants]]
name = "lion-slow"
optimizer = "lion"
lr = 1e-3
"""


@pytest.fixture
def work(command, tmp_path):
    """A folder with a plan of twelve cells, and with what the command makes of their study."""
    shutil.copy(ROOT / "experiments/targets/face.png", tmp_path)
    spec = tmp_path / "chains.toml"
    spec.write_text(CHAINS)
    command("experiment", "run", spec, "--runs", tmp_path / "local")
    planned = picloom.plan([spec], tmp_path / "plan.jsonl")
    assert (planned["cells"], planned["parts"][0]["study"]) == (12, "chains")
    return tmp_path


def compare(work, store):
    """Every cell is done, and the records have the bytes of the command's run."""
    plan = work / "plan.jsonl"
    status = picloom.status(plan, work / store)
    assert (status["done"], status["running"], status["failed"]) == (12, [], [])
    rows = picloom.collect(plan, work / store)["chains"]
    assert picloom.read_study(rows)["study"] == "chains"
    for name in ["study.json", "rows.csv.gz"]:
        local, found = (work / top / "chains" / name for top in ["local", store])
        assert local.read_bytes() == found.read_bytes(), name


def test_shares_of_a_plan_give_the_bytes_of_a_local_run(work):
    plan, store = work / "plan.jsonl", work / "shares"
    assert picloom.status(plan, store)["waiting"] == 12
    with pytest.raises(picloom.Error, match="expected 12 finished"):
        picloom.collect(plan, store)
    done = [picloom.run(plan, store, share=(i, 3)) for i in (3, 1, 2, 2)]
    assert [d["done"] for d in done] == [4, 4, 4, 0] and not any(d["set_aside"] for d in done)
    compare(work, "shares")
    with pytest.raises(ValueError, match="from 1/N to N/N"):
        picloom.run(plan, store, share=(4, 3))
    with pytest.raises(FileNotFoundError):
        picloom.run(work / "none.jsonl", store)


def test_two_workers_of_dask_give_the_bytes_of_a_local_run_and_do_every_cell_once(work):
    from dask.distributed import Client

    plan, store = work / "plan.jsonl", work / "dask"
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        assert len(client.nthreads()) == 2
        run = lambda share: picloom.run(plan, store, share=share)
        tasks = client.map(run, [(i, 12) for i in range(1, 13)], pure=False)
        done = client.gather(tasks)
        assert len(set(client.who_has(tasks).values())) == 2, "one worker did all"
    assert [d["done"] for d in done] == [1] * 12
    compare(work, "dask")
