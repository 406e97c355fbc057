"""What the formats share: finding files, following them as they grow, telling what is new, whose words are whose."""
