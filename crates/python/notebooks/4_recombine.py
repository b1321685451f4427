# %% [markdown]
# # From a family to a combination that training never saw
#
# A family is one scene under every combination of its factors. A network with the factors as inputs learns it where at
# most one factor is off its middle. Does it draw both moved at once?

# %%
import matplotlib.pyplot as plt

import picloom

SIZE = 24
seen, held_out = picloom.conditions(2, "minimal")
model = picloom.Model.from_arch("4;cos:2,gaussian:3,identity:2,sigmoid:2,sin:2,tanh:2;z:2")
report = picloom.train(model, "face", conditions=seen, size=SIZE, steps=3000, lr=0.005, seed=1)
report

# %% [markdown]
# Each column is a combination that was held out: above what the family shows, below what the network draws.


# %%
def r2(z):
    wanted, drawn = picloom.family("face", z, size=SIZE), report.model.at(z).picture(SIZE)
    return 1 - ((drawn - wanted) ** 2).mean() / wanted.var((0, 1)).mean()


figure, axes = plt.subplots(2, 8, figsize=(11, 3.2))
for (above, below), z in zip(axes.T, held_out[::2]):
    above.imshow(picloom.family("face", z, size=SIZE))
    below.imshow(report.model.at(z).picture(SIZE))
    above.set_title(f"{z[0]:.1f}, {z[1]:.1f}", fontsize=8)
    below.set_title(f"R² {r2(z):.2f}", fontsize=8)
    above.axis("off"), below.axis("off")
print(f"mean R²: seen {sum(map(r2, seen)) / len(seen):.3f}, held out {sum(map(r2, held_out)) / len(held_out):.3f}")

# %% [markdown]
# Dense networks that learn a family mostly draw the rest of it. Which other networks do, and whether any measure
# foretells it: `experiments/new_combinations.md`.
