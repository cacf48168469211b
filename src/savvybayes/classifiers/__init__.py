"""The scikit-learn estimators: schema, learn, smooth, predict."""
