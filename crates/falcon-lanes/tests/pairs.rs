compare_with_baseline!(pairs, Some(Pairs));
