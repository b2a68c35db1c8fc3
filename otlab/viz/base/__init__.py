"""What every picture uses: live plots, style, colours, numbers, names."""
