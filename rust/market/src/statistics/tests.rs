use super::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn trade(time_ns: i64, units: i64) -> Trade {
    Trade {
        side: None,
        quote: None,
        symbol: 0,
        price: Decimal::new(units, 2).expect("within the bounds"),
        size: Decimal::ZERO,
        time_ns,
        sequence: 0,
    }
}

fn rolling(length: i64, limit: usize) -> RollingStatistics {
    RollingStatistics::with_limit(Interval::from_ns(length).expect("above 0"), limit)
}

#[test]
fn window_is_open_at_its_beginning_and_closed_at_its_end() {
    let mut rolling = rolling(10, 100);
    for (time, units) in [(0, 100), (5, 200), (9, 600)] {
        assert_eq!(rolling.push(&trade(time, units)), Placement::Included);
    }
    let all = rolling.statistics(0).expect("three updates");
    assert_eq!((all.count, all.mean, all.variance), (3, 3.0, 7.0));
    assert_eq!(
        (all.min.to_string(), all.max.to_string()),
        ("1.00".into(), "6.00".into())
    );
    assert_eq!(all.change().map(|c| c.to_string()).as_deref(), Some("5.00"));
    rolling.push(&trade(10, 300));
    let later = rolling.statistics(0).expect("three updates");
    assert_eq!(
        (later.count, later.first.to_string().as_str(), later.time_ns),
        (3, "2.00", 10)
    );
    rolling.advance(0, 19);
    assert_eq!(rolling.statistics(0).map(|s| s.count), Some(1));
    assert_eq!(rolling.statistics(0).map(|s| s.variance), Some(0.0));
    rolling.advance(0, 20);
    assert_eq!(rolling.statistics(0), None);
}

#[test]
fn late_updates_and_those_without_room_are_counted() {
    let mut rolling = rolling(1_000, 2);
    for (time, expected) in [
        (5, Placement::Included),
        (4, Placement::Late),
        (5, Placement::Included),
        (6, Placement::Included),
        (NO_TIME, Placement::Untimed),
    ] {
        assert_eq!(rolling.push(&trade(time, time.max(0) * 100)), expected);
    }
    assert_eq!((rolling.late(), rolling.evicted()), (1, 1));
    assert_eq!(rolling.statistics(0).map(|s| (s.count, s.mean)), Some((2, 5.5)));
    rolling.remove(0);
    assert_eq!(rolling.statistics(0), None);
}

#[test]
fn extreme_times_do_not_overflow() {
    let mut rolling = rolling(i64::MAX, 10);
    rolling.push(&trade(i64::MIN + 1, 1));
    rolling.push(&trade(i64::MAX, 3));
    assert_eq!(rolling.statistics(0).map(|s| s.count), Some(1));
}

/// Two passes over the window, in units, which are integers: the sums are exact.
fn direct(window: &[Trade]) -> (f64, f64) {
    let count = window.len() as i128;
    let sum: i128 = window.iter().map(|trade| i128::from(trade.price.units())).sum();
    let squares: i128 = window
        .iter()
        .map(|trade| (i128::from(trade.price.units()) * count - sum).pow(2))
        .sum();
    let variance = if count > 1 {
        squares as f64 / (count * count * (count - 1)) as f64 / 1e4
    } else {
        0.0
    };
    (sum as f64 / count as f64 / 100.0, variance)
}

#[test]
fn random_streams_give_what_is_computed_directly() {
    let mut generator = ChaCha8Rng::seed_from_u64(31);
    for (length, spread, base) in [
        (100, 50, 10_000_i64),
        (1_000, 1, 6_500_000),
        (37, 1_000_000, 5_000_000),
        (3_000, 3, 99_999_999_999),
    ] {
        let mut rolling = rolling(length, 100_000);
        let (mut time, mut units) = (0, base);
        let mut trades: Vec<Trade> = Vec::new();
        for n in 0..20_000 {
            time += generator.gen_range(0..5);
            // Outliers, and stretches of constant prices.
            units = match generator.gen_range(0..1_000) {
                0 => base * 1_000,
                1..400 if n % 5_000 > 4_000 => units,
                _ => (base + generator.gen_range(-spread..=spread)).max(1),
            };
            let next = trade(time, units);
            trades.push(next);
            rolling.push(&next);
            let got = rolling.statistics(0).expect("an update");
            let start = trades.partition_point(|trade| trade.time_ns <= time - length);
            let window = &trades[start..];
            assert_eq!(got.count, window.len() as u64);
            assert_eq!(Some(got.min), window.iter().map(|trade| trade.price).min());
            assert_eq!(Some(got.max), window.iter().map(|trade| trade.price).max());
            assert_eq!(
                (Some(got.first), got.last),
                (window.first().map(|q| q.price), next.price)
            );
            if n % 7 == 0 {
                let (mean, variance) = direct(window);
                let since = 2.0 * (window.len() as f64).max(256.0);
                let reach = got.max.to_f64() - got.min.to_f64();
                let mean_error = since * f64::EPSILON * reach + 2.0 * f64::EPSILON * mean;
                assert!(
                    (got.mean - mean).abs() <= mean_error * 1_000.0,
                    "{n}: {} {mean}",
                    got.mean
                );
                let error = (got.variance - variance).abs();
                assert!(
                    error <= since / f64::from(1_u32 << 31) * variance,
                    "{n}: {} {variance}",
                    got.variance
                );
            }
        }
    }
}
