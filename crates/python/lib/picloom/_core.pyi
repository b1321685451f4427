"""The types of the extension. What each does, with its defaults and sources: docs/PYTHON.md."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Protocol, TypeAlias, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Unpack

__version__: str

Path: TypeAlias = str | PathLike[str]
Picture: TypeAlias = NDArray[np.float32]
Coords: TypeAlias = Literal["fer", "picbreeder"]
Preset: TypeAlias = Literal["picbreeder", "neat", "drawing"]
Squaring: TypeAlias = Literal["crop", "pad", "squash"]
Weights: TypeAlias = int | str | Sequence[int]

class Bar(Protocol):
    """A tqdm bar, or anything else with its `update`."""

    def update(self, n: int, /) -> object: ...

Progress: TypeAlias = Callable[[int, float], object] | Bar
Target: TypeAlias = "ArrayLike | Genome | Path"
Scores: TypeAlias = Callable[[dict[str, Any]], ArrayLike]
Measures: TypeAlias = Callable[[dict[str, Any]], Mapping[str, float]]

class TrainSettings(TypedDict, total=False):
    """Settings of training by the names of the command's options; the defaults are FER's recipe."""

    # settings of training
    steps: int
    seed: int
    gradient: str
    penalty: str
    weight_noise: float
    log_every: int
    batch: int
    batch_conditions: int
    subsample: int
    target_loss: float
    collapse_after: int
    restarts: int
    checkpoints: float | Sequence[float]
    retry_lr: float
    optimizer: str
    lr: float
    schedule: str
    warm_up: int
    floor: float
    init: str
    init_scale: float
    plateau: int
    least_fall: float
    # end

class PruneSettings(TrainSettings, total=False):
    """Settings of a pruning, and of each retraining."""

    # settings of pruning
    method: str | Scores
    budget: int
    threshold: float | Sequence[float]
    rounds: int
    lottery: str
    retrain: str
    refill: bool
    # end

class SweepSettings(TypedDict, total=False):
    """Which weights a sweep or a score changes, and how far."""

    # settings of protocol
    samples: int | str | Sequence[int]
    delta: str
    seed: int
    # end

class StudySettings(TypedDict, total=False):
    """Settings of a study of one picture; the defaults are the command's."""

    # settings of study
    log_every: int
    target_r2: float
    samples: int
    effect: float
    fixed_delta: float
    judge: str
    mechanisms: bool
    organisation: bool
    measure: str
    # end

class PictureSettings(TypedDict, total=False):
    """Which part of the plane is drawn, and how finely."""

    # settings of framing
    center: str | Sequence[float]
    zoom: float
    supersample: int
    # end

class EvolveSettings(TypedDict, total=False):
    """Settings of evolution, nested as in a run's `config.toml`, laid over the preset."""

    start: Mapping[str, Any]
    mutation: Mapping[str, Any]
    crossover: Mapping[str, Any]
    species: Mapping[str, Any]
    reproduction: Mapping[str, Any]
    # settings of evolution
    symmetry: str
    background: str
    palette: str
    population: int
    # end

class NoveltySettings(EvolveSettings, total=False):
    """Settings of novelty search, and of evolution."""

    # settings of novelty
    neighbours: int
    archived: int
    archive_limit: int
    # end

class Error(Exception): ...

class Genome:
    @staticmethod
    def load(path: Path) -> Genome: ...
    @staticmethod
    def from_json(text: str) -> Genome: ...
    @staticmethod
    def random(*, seed: int, preset: Preset = "picbreeder", **settings: Unpack[EvolveSettings]) -> Genome: ...
    def to_json(self) -> str: ...
    def to_dot(self) -> str: ...
    def save(self, path: Path) -> None: ...
    def render(
        self, size: int | str | Sequence[int] | None = None, *, coords: Coords = "fer", **settings: Unpack[PictureSettings]
    ) -> Picture: ...
    def mutate(
        self, *, seed: int, preset: Preset = "picbreeder", slider: float | None = None, **settings: Unpack[EvolveSettings]
    ) -> Genome: ...
    def crossover(self, other: Genome, *, seed: int, kind: Literal["union", "aligned"] = "union") -> Genome: ...
    def distance(self, other: Genome, **settings: Any) -> float: ...
    def info(self) -> dict[str, Any]: ...
    @property
    def palette(self) -> str: ...
    @property
    def provenance(self) -> dict[str, Any]: ...
    @property
    def nodes(self) -> list[dict[str, Any]]: ...
    @property
    def connections(self) -> list[dict[str, Any]]: ...

class Model:
    @staticmethod
    def from_genome(genome: Genome, wiring: str = "graph", *, seed: int = 0) -> Model: ...
    @staticmethod
    def from_arch(arch: str, *, seed: int = 0, init: str = "lecun-truncated") -> Model: ...
    @staticmethod
    def from_layers(arch: str, layers: Sequence[ArrayLike]) -> Model: ...
    @staticmethod
    def load(path: Path, arch: str | None = None) -> Model: ...
    def save(self, path: Path) -> None: ...
    def at(self, z: ArrayLike) -> Model: ...
    @property
    def factors(self) -> int: ...
    def transformed(self, transform: str, *, seed: int = 0) -> Model: ...
    def with_weights(self, weights: ArrayLike, mask: ArrayLike | None = None) -> Model: ...
    def picture(
        self, size: int | str | Sequence[int] | None = None, *, coords: Coords = "fer", **settings: Unpack[PictureSettings]
    ) -> Picture: ...
    def maps(self, size: int = 256, *, coords: Coords = "fer") -> NDArray[np.float32]: ...
    @property
    def weights(self) -> NDArray[np.float32]: ...
    @property
    def mask(self) -> NDArray[np.bool_]: ...
    @property
    def alive(self) -> NDArray[np.bool_]: ...
    @property
    def links(self) -> NDArray[np.int64]: ...
    @property
    def layers(self) -> list[NDArray[np.float32]]: ...
    @property
    def arch(self) -> str | None: ...
    @property
    def network_dict(self) -> dict[str, Any]: ...

class Search:
    @staticmethod
    def neat(
        *,
        seed: int,
        preset: Preset = "neat",
        ancestors: Sequence[Genome] = [],
        **settings: Unpack[EvolveSettings],
    ) -> Search: ...
    @staticmethod
    def novelty(
        *,
        seed: int,
        preset: Preset = "neat",
        ancestors: Sequence[Genome] = [],
        **settings: Unpack[NoveltySettings],
    ) -> Search: ...
    @staticmethod
    def map_elites(
        axes: Sequence[tuple[str, float, float, int]],
        *,
        seed: int,
        preset: Preset = "picbreeder",
        ancestors: Sequence[Genome] = [],
        **settings: Unpack[EvolveSettings],
    ) -> Search: ...
    @staticmethod
    def from_state(text: str) -> Search: ...
    def state(self) -> str: ...
    def ask(self) -> list[Genome]: ...
    def tell(
        self, fitness: Sequence[float] | NDArray[Any] | None = None, descriptors: ArrayLike | None = None
    ) -> list[dict[str, Any]]: ...
    @property
    def generation(self) -> int: ...
    @property
    def best(self) -> tuple[Genome, float] | None: ...
    @property
    def species(self) -> int: ...
    @property
    def archive(self) -> list[tuple[Genome, float, list[float]]]: ...
    @property
    def grid(self) -> dict[tuple[int, ...], tuple[Genome, float, list[float]]]: ...
    @property
    def births(self) -> list[dict[str, Any]] | None: ...

class Breeding:
    def __new__(
        cls,
        *,
        seed: int,
        preset: Preset = "picbreeder",
        ancestors: Sequence[Path] = [],
        **settings: Unpack[EvolveSettings],
    ) -> Breeding: ...
    @staticmethod
    def open(path: Path) -> Breeding: ...
    def save(self, path: Path) -> None: ...
    def sheet(self, n: int | None = None) -> list[Genome]: ...
    def births(self, n: int | None = None) -> list[dict[str, Any]]: ...
    def lineage(self) -> list[dict[str, Any]]: ...
    def select(
        self,
        chosen: Sequence[int],
        *,
        slider: float | None = None,
        parts: Literal["both", "structure", "colour"] = "both",
        roll: int | None = None,
        why: str = "",
    ) -> int: ...
    def undo(self) -> bool: ...
    def redo(self) -> bool: ...
    def go_to(self, n: int) -> None: ...
    def parent(self, n: int) -> int | None: ...
    @property
    def at(self) -> int: ...
    def __len__(self) -> int: ...

class TrainReport:
    @property
    def model(self) -> Model: ...
    @property
    def stop(self) -> str: ...
    @property
    def steps(self) -> int: ...
    @property
    def evaluations(self) -> int: ...
    @property
    def final_loss(self) -> float: ...
    @property
    def r2(self) -> float: ...
    @property
    def collapses(self) -> list[dict[str, Any]]: ...
    @property
    def history(self) -> dict[str, NDArray[Any]]: ...
    @property
    def config(self) -> dict[str, Any]: ...

class Trainer:
    def __new__(
        cls,
        model: Model,
        target: Target,
        *,
        conditions: ArrayLike | None = None,
        size: int | None = None,
        coords: Coords = "fer",
        fit: Squaring | None = None,
        start: ArrayLike | None = None,
        **settings: Unpack[TrainSettings],
    ) -> Trainer: ...
    def run(self, progress: Progress | None = None) -> TrainReport: ...
    @property
    def weights(self) -> NDArray[np.float32]: ...
    @property
    def step(self) -> int: ...

class PruneReport:
    @property
    def model(self) -> Model: ...
    @property
    def rounds(self) -> list[dict[str, Any]]: ...
    @property
    def kept(self) -> int: ...
    @property
    def final_loss(self) -> float: ...
    @property
    def r2(self) -> float: ...

def export(
    model: Model, format: Literal["safetensors", "npz", "onnx", "glsl", "dot"], *, coords: Coords = "fer"
) -> bytes: ...
def coordinates(size: int, *, coords: Coords = "fer") -> NDArray[np.float32]: ...
def families() -> dict[str, list[str]]: ...
def family(name: str, z: ArrayLike, *, size: int = 64, coords: Coords = "fer") -> NDArray[np.float32]: ...
def conditions(
    factors: int, support: str = "random:0.6", *, values: int = 5, seed: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def prune(
    trained: Model | TrainReport,
    target: Target | None = None,
    *,
    evolved: Genome | None = None,
    initial: ArrayLike | None = None,
    size: int | None = None,
    coords: Coords = "fer",
    progress: Progress | None = None,
    **settings: Unpack[PruneSettings],
) -> PruneReport: ...
def sweep(
    model: Model,
    *,
    size: int = 128,
    coords: Coords = "fer",
    progress: Progress | None = None,
    **settings: Unpack[SweepSettings],
) -> dict[str, NDArray[Any]]: ...
def strip(
    model: Model,
    link: int,
    *,
    span: float = 2.0,
    steps: int = 9,
    size: int = 128,
    coords: Coords = "fer",
) -> NDArray[np.float32]: ...
def score(
    model: Model,
    target: Target | None = None,
    *,
    judge: str | Callable[[Picture, Picture], ArrayLike] | None = None,
    measure: str | Measures | None = None,
    size: int | None = None,
    coords: Coords = "fer",
    name: str = "given",
    all: bool = False,
    evolved: Model | None = None,
    progress: Progress | None = None,
    **settings: Unpack[SweepSettings],
) -> dict[str, Any]: ...
def depth_sweep(
    picture: Path,
    *,
    depths: Sequence[int] | None = None,
    seeds: Sequence[int] | None = None,
    steps: int | None = None,
    size: int | None = None,
    fit: Squaring | None = None,
    runs: Path = "runs",
    progress: Progress | None = None,
    **settings: Unpack[StudySettings],
) -> dict[str, Any]: ...
def predict_depth(picture: Target, *, fit: Squaring | None = None) -> dict[str, Any]: ...
def load_run(folder: Path) -> dict[str, Any]: ...
def run_study(
    spec: Path,
    store: Path,
    *,
    profile: str | None = None,
    shard: tuple[int, int] = (1, 1),
    progress: Progress | None = None,
) -> dict[str, Any]: ...
def study_status(spec: Path, store: Path, *, profile: str | None = None) -> dict[str, Any]: ...
def page_with(networks: str) -> str: ...
