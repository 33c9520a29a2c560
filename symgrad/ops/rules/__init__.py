"""What the table's entries are written in: type rules, batch rules, masks, indices, emission."""
