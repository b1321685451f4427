# %% [markdown]
# # See fracture
#
# Two networks draw the same moth. One was evolved; the other is its dense twin, trained from random weights. Slide
# one weight of each: in the evolved network something about the moth changes, in the trained one the moth is damaged.

# %%
import matplotlib.pyplot as plt
import numpy as np

import picloom

SIZE = 64
genome = picloom.Genome.load("../../../genomes/bred_moth.json")
evolved = picloom.Model.from_genome(genome)
target = evolved.picture(SIZE)
genome

# %% [markdown]
# Train the twin. `picloom.train` follows FER's recipe unless told otherwise: Adam on the normalised gradient.

# %%
report = picloom.train(picloom.Model.from_genome(genome, "dense"), target, steps=6000, seed=0)
trained = report.model
figure, axes = plt.subplots(1, 3, figsize=(9, 3))
axes[0].imshow(target), axes[0].set_title("evolved")
axes[1].imshow(trained.picture(SIZE)), axes[1].set_title(f"trained, R² {report.r2:.3f}")
axes[2].semilogy(report.history["step"], report.history["loss"]), axes[2].set_title("loss")
[a.axis("off") for a in axes[:2]]
report

# %% [markdown]
# ## Slide a weight
#
# A sweep says which weights matter: for each, how far it must go (`delta`) until the picture has changed by an RMSE of
# 0.18. Take one of the middle of each network.

# %%
figure, axes = plt.subplots(2, 7, figsize=(12, 3.6))
for row, (name, model) in zip(axes, [("evolved", evolved), ("trained", trained)]):
    swept = picloom.sweep(model, samples=40, size=SIZE)
    seen = np.flatnonzero(~swept["silent"])
    chosen = seen[len(seen) // 2]
    link, span = int(swept["link"][chosen]), abs(float(swept["delta"][chosen]))
    for place, picture in zip(row, picloom.strip(model, link, span=span, steps=7, size=SIZE)):
        place.imshow(picture), place.axis("off")
    row[3].set_title(f"{name}: weight {link}, ± {span:.2f}")

# %% [markdown]
# ## Score
#
# The embedded judge looks at such changed pictures and says how surely each still makes sense. The score is the mean.

# %%
for name, model in [("evolved", evolved), ("trained", trained)]:
    found = picloom.score(model, target, samples=60)
    low, high = found["interval"]
    print(f"{name}: {found['score']:.2f} [{low:.2f}, {high:.2f}], R² {found['fit']['r2']:.3f}, counts: {found['counts']}")
