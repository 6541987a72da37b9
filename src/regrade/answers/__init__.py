"""What a user came for, in numbers and in sentences: the cut to use, and what it changes."""
