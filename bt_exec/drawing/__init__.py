"""Pictures of trees: Mermaid, Graphviz, SVG and HTML; differences between two trees."""
