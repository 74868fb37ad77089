"""Exchange of trees with BehaviorTree.CPP 4."""
