"""Questions to the model: one template file each, filled in and cut to the budget."""
