"""Studies worked on from Python, by shards, by Dask's workers and after a kill, give the bytes of the command's run."""

import shutil
import signal
import subprocess
import sys
import time

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
    """A folder with the spec of twelve cells, and with what the command makes of it."""
    shutil.copy(ROOT / "experiments/targets/face.png", tmp_path)
    spec = tmp_path / "chains.toml"
    spec.write_text(CHAINS)
    command("experiment", "run", spec, "--store", tmp_path / "local")
    return tmp_path


def compare(work, store):
    """Every cell is done, and the records have the bytes of the command's run."""
    status = picloom.study_status(work / "chains.toml", work / store)
    assert (status["done"], status["held"], status["failed"], status["free"]) == (12, [], [], 0)
    for name in ["study.json", "rows.csv.gz"]:
        local, found = (work / top / "chains" / name for top in ["local", store])
        assert local.read_bytes() == found.read_bytes(), name


def test_shards_give_the_bytes_of_a_local_run(work):
    spec, store = work / "chains.toml", work / "shards"
    assert picloom.study_status(spec, store)["free"] == 12
    ran = [picloom.run_study(spec, store, shard=(i, 3)) for i in (3, 1, 2, 2)]
    assert [r["done"] for r in ran] == [4, 4, 4, 0] and not any(r["failed"] for r in ran)
    assert [r["missing"] for r in ran] == [8, 4, 0, 0] and not ran[1]["rows"]
    assert picloom.read_study(ran[2]["rows"]["chains"])["study"] == "chains"
    compare(work, "shards")
    with pytest.raises(ValueError, match="from 1/N to N/N"):
        picloom.run_study(spec, store, shard=(4, 3))
    with pytest.raises(FileNotFoundError):
        picloom.run_study(work / "none.toml", store)


def test_another_worker_takes_over_from_one_that_was_killed(work):
    slow = CHAINS.replace("steps = 40", "steps = 1000000000").replace("seeds = [0, 1, 2]", "seeds = [0]")
    slow = slow.replace('name = "base"', 'name = "base"\nlr = 1e-9').replace("1e-3", "1e-9")
    (work / "slow.toml").write_text(slow.replace('"chains"', '"slow"'))
    line = "import picloom, sys; picloom.run_study(sys.argv[1], sys.argv[2])"
    worker = subprocess.Popen([sys.executable, "-c", line, work / "slow.toml", work / "killed"])
    held = lambda: picloom.study_status(work / "slow.toml", work / "killed")["held"]
    begun = time.monotonic()
    while not held():
        assert worker.poll() is None and time.monotonic() < begun + 60
        time.sleep(0.05)
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    assert all(cell["is_dead"] for cell in held())
    # The dead worker's leases, on the cells of the study that ends: they are taken over at once.
    shutil.copytree(work / "killed/slow/leases", work / "taken/chains/leases")
    ids = sorted(path.stem for path in (work / "local/chains/cells").iterdir())
    for lease, cell in zip((work / "taken/chains/leases").iterdir(), ids):
        lease.rename(lease.with_name(cell))
    assert picloom.study_status(work / "chains.toml", work / "taken")["held"]
    assert picloom.run_study(work / "chains.toml", work / "taken")["done"] == 12
    compare(work, "taken")


def test_two_workers_of_dask_give_the_bytes_of_a_local_run_and_do_every_cell_once(work):
    from dask.distributed import Client

    spec, store = work / "chains.toml", work / "dask"
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        assert len(client.nthreads()) == 2
        run = lambda shard: picloom.run_study(spec, store, shard=shard)
        tasks = client.map(run, [(i, 12) for i in range(1, 13)], pure=False)
        ran = client.gather(tasks)
        assert len(set(client.who_has(tasks).values())) == 2, "one worker did all"
    assert [r["done"] for r in ran] == [1] * 12
    compare(work, "dask")
