"""Tests, and the tools and reference implementations that they compare against."""
