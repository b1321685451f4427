# %% [markdown]
# # Prune here, continue in PyTorch, score here
#
# A dense network learns a picture; similarity pruning keeps the links between units that draw alike; PyTorch trains
# what is left with an optimizer of its own; the result comes back and is scored beside the others.

# %%
import matplotlib.pyplot as plt
import numpy as np
import torch

import picloom

SIZE = 64
genome = picloom.Genome.load("../../../genomes/bred_moth.json")
target = genome.render(SIZE)
dense = picloom.train(picloom.Model.from_genome(genome, "dense"), target, steps=6000, seed=0)
pruned = picloom.prune(dense, method="sp", budget=int(dense.model.mask.sum()) // 2, steps=6000)
print(dense, pruned, sep="\n")

# %% [markdown]
# `to_torch` gives a module from coordinates to colours. Links outside the mask stay 0 whatever PyTorch does.

# %%
module = picloom.to_torch(pruned.model)
inputs = torch.tensor(picloom.coordinates(SIZE).reshape(-1, 4).tolist())
wanted = torch.tensor(target.reshape(-1, 3).tolist())
optimizer = torch.optim.NAdam(module.parameters(), lr=3e-4)
losses = []
for _ in range(300):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(module(inputs), wanted)
    loss.backward()
    optimizer.step()
    losses.append(float(loss))
plt.semilogy(losses)
plt.xlabel("step of NAdam"), plt.ylabel("mean squared error")
continued = picloom.from_torch(module)
continued

# %%
models = {"dense": dense.model, "pruned": pruned.model, "continued in PyTorch": continued}
figure, axes = plt.subplots(1, 4, figsize=(11, 3))
axes[0].imshow(target), axes[0].set_title("target")
[a.axis("off") for a in axes]
for place, (name, model) in zip(axes[1:], models.items()):
    found = picloom.score(model, target, samples=40)
    place.imshow(model.picture(SIZE))
    place.set_title(f"{name}\n{np.count_nonzero(model.weights)} links, score {found['score']:.2f}")
    print(f"{name}: score {found['score']:.2f}, R² {found['fit']['r2']:.3f}")
# %% [markdown]
# The weights are files that others read, too: `model.save("x.safetensors")` in PyTorch's order, `"x.npz"` in flax's, and
# `picloom export` writes ONNX and a shader.
