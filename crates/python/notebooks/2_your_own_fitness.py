# %% [markdown]
# # Your own fitness
#
# Evolution asks, you tell. What a genome is worth may be any Python: here a PyTorch function looks at the pictures and
# likes those that are symmetric left to right, have strong edges, and are neither black nor white.

# %%
import matplotlib.pyplot as plt
import numpy as np
import torch

import picloom

SIZE = 48


def worth(pictures):
    """(N, S, S, 3) to (N,), larger is better."""
    x = torch.tensor(pictures.tolist()).mean(-1)
    symmetry = 1 - (x - x.flip(-1)).abs().mean((1, 2))
    edges = (x[:, 1:] - x[:, :-1]).abs().mean((1, 2)) + (x[:, :, 1:] - x[:, :, :-1]).abs().mean((1, 2))
    balance = 1 - (2 * x.mean((1, 2)) - 1).abs()
    return (symmetry * balance * edges.clamp(max=0.1)).tolist()


# %%
search = picloom.Search.neat(seed=4, population=40)
best = []
for _ in range(25):
    genomes = search.ask()
    search.tell(worth(np.stack([genome.render(SIZE) for genome in genomes])))
    best.append(search.best[1])
plt.plot(best)
plt.xlabel("generation"), plt.ylabel("best worth")
champion, value = search.best
champion

# %% [markdown]
# The same loop with another question is another search. MAP-Elites keeps the best of each kind: here light × contrast.

# %%
elites = picloom.Search.map_elites([("light", 0, 1, 6), ("contrast", 0, 0.5, 6)], seed=4, population=60)
for _ in range(25):
    pictures = np.stack([genome.render(SIZE) for genome in elites.ask()])
    light, contrast = pictures.mean((1, 2, 3)), pictures.std((1, 2, 3))
    elites.tell(worth(pictures), np.stack([light, contrast], -1))
figure, axes = plt.subplots(6, 6, figsize=(6, 6))
[a.axis("off") for a in axes.flat]
for (column, row), (genome, value, descriptor) in elites.grid.items():
    axes[5 - row][column].imshow(genome.render(SIZE))
figure.suptitle("brighter to the right, more contrast upwards")

# %% [markdown]
# What evolution leaves is a genome like any other: save it, train its wiring, score it.

# %%
found = picloom.score(picloom.Model.from_genome(champion), size=SIZE, samples=40)
print(f"score {found['score']:.2f}: {found['clean']} clean, {found['unclear']} unclear, {found['damaged']} damaged")
