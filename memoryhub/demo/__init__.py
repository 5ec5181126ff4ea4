"""An invented company to look at, and a story that plays through the REST door and is checked step by step."""
