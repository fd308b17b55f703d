use super::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text.as_bytes()).expect("a decimal")
}

fn trade(symbol: u32, time_ns: i64, price: &str) -> Trade {
    Trade {
        side: None,
        quote: None,
        symbol,
        price: decimal(price),
        size: decimal("0.5"),
        time_ns,
        sequence: 0,
    }
}

#[test]
fn vwap_weights_prices_by_size() {
    let (mut builder, mut closed) = (builder(10, 0), Vec::new());
    let sized = |price: &str, size: &str| Trade {
        size: decimal(size),
        ..trade(0, 1, price)
    };
    builder.push(&sized("5", "0"), &mut closed);
    let open = |builder: &CandleBuilder| builder.open(0).next().and_then(Candle::vwap);
    assert_eq!(open(&builder), None);
    for (price, size) in [("10", "1"), ("20", "3"), ("30.5", "0")] {
        builder.push(&sized(price, size), &mut closed);
    }
    assert_eq!(open(&builder), Some(17.5));
    // A plain sum of doubles loses a unit of each of these.
    builder.flush(&mut closed);
    for size in std::iter::once("9007199254740992").chain(std::iter::repeat_n("1", 1_000)) {
        builder.push(
            &Trade {
                time_ns: 11,
                ..sized("1", size)
            },
            &mut closed,
        );
    }
    assert_eq!(open(&builder), Some(1.0));
}

fn builder(interval: i64, lateness: i64) -> CandleBuilder {
    CandleBuilder::new(Interval::from_ns(interval).expect("above 0"), lateness).expect("within the bounds")
}

/// Start, open, high, low, close, volume, count.
fn line(candle: &Candle) -> String {
    let Candle {
        start_ns,
        open,
        high,
        low,
        close,
        volume,
        count,
        ..
    } = candle;
    format!("{start_ns} {open} {high} {low} {close} {volume} {count}")
}

fn lines(candles: &[Candle]) -> Vec<String> {
    candles.iter().map(line).collect()
}

#[test]
fn candle_closes_at_the_first_update_past_its_end() {
    let (mut builder, mut closed) = (builder(10, 0), Vec::new());
    for (time, price) in [(0, "5"), (3, "7.50"), (9, "4"), (9, "6")] {
        assert_eq!(
            builder.push(&trade(0, time, price), &mut closed),
            Placement::Included
        );
    }
    assert!(closed.is_empty());
    assert_eq!(builder.open(0).count(), 1);
    builder.push(&trade(0, 10, "1"), &mut closed);
    assert_eq!(lines(&closed), ["0 5 7.50 4 6 2.0 4"]);
    builder.flush(&mut closed);
    assert_eq!(lines(&closed[1..]), ["10 1 1 1 1 0.5 1"]);
}

#[test]
fn empty_intervals_give_no_candle_and_time_before_1970_is_like_any_other() {
    let (mut builder, mut closed) = (builder(10, 0), Vec::new());
    for (time, price) in [(-11, "1"), (-10, "2"), (-1, "3"), (50, "4")] {
        builder.push(&trade(0, time, price), &mut closed);
    }
    builder.flush(&mut closed);
    assert_eq!(
        lines(&closed),
        ["-20 1 1 1 1 0.5 1", "-10 2 3 2 3 1.0 2", "50 4 4 4 4 0.5 1"]
    );
}

#[test]
fn late_updates_are_counted_and_left_out() {
    let (mut builder, mut closed) = (builder(10, 5), Vec::new());
    builder.push(&trade(0, 5, "1"), &mut closed);
    builder.push(&trade(0, 14, "2"), &mut closed);
    assert_eq!(builder.push(&trade(0, 9, "9"), &mut closed), Placement::Included);
    builder.push(&trade(0, 15, "3"), &mut closed);
    assert_eq!(lines(&closed), ["0 1 9 1 9 1.0 2"]);
    assert_eq!(builder.push(&trade(0, 9, "99"), &mut closed), Placement::Late);
    // An interval without a candle is closed all the same.
    assert_eq!(builder.push(&trade(0, -5, "99"), &mut closed), Placement::Late);
    assert_eq!(builder.late(), 2);
    builder.flush(&mut closed);
    assert_eq!(builder.push(&trade(0, 19, "99"), &mut closed), Placement::Late);
    assert_eq!(lines(&closed[1..]), ["10 2 3 2 3 1.0 2"]);
}

#[test]
fn open_and_close_go_by_time_then_by_arrival() {
    let (mut builder, mut closed) = (builder(100, 0), Vec::new());
    for (time, price) in [(50, "5"), (10, "1"), (10, "2"), (90, "8"), (90, "9"), (70, "7")] {
        builder.push(&trade(0, time, price), &mut closed);
    }
    builder.flush(&mut closed);
    assert_eq!(lines(&closed), ["0 1 9 1 9 3.0 6"]);
}

#[test]
fn symbols_have_times_of_their_own_until_they_are_advanced() {
    let (mut builder, mut closed) = (builder(10, 0), Vec::new());
    builder.push(&trade(0, 5, "1"), &mut closed);
    builder.push(&trade(1, 1_000, "2"), &mut closed);
    assert_eq!(builder.push(&trade(0, 6, "3"), &mut closed), Placement::Included);
    builder.advance(10, &mut closed);
    assert_eq!(lines(&closed), ["0 1 3 1 3 1.0 2"]);
    assert_eq!(builder.push(&trade(0, 7, "3"), &mut closed), Placement::Late);
    builder.remove(1);
    builder.flush(&mut closed);
    assert_eq!(closed.len(), 1);
}

#[test]
fn what_has_no_place_is_refused() {
    let (mut candles, mut closed) = (builder(10, 0), Vec::new());
    assert_eq!(
        candles.push(&trade(0, NO_TIME, "1"), &mut closed),
        Placement::Untimed
    );
    assert_eq!(
        candles.push(&trade(u32::MAX, 0, "1"), &mut closed),
        Placement::Untimed
    );
    for time in [NO_TIME + 1, i64::MAX] {
        assert_eq!(
            candles.push(&trade(0, time, "1"), &mut closed),
            Placement::Included
        );
    }
    candles.flush(&mut closed);
    assert_eq!(closed.len(), 2);
    let interval = Interval::from_ns(10).expect("above 0");
    for lateness in [-1, 641] {
        let error = LatenessError {
            limit_ns: 640,
            got_ns: lateness,
        };
        assert_eq!(CandleBuilder::new(interval, lateness).err(), Some(error));
    }
}

/// Candles by their definition in the documentation: all updates that were not late, grouped, sorted and folded at the end.
fn reference(trades: &[Trade], interval: i64, lateness: i64) -> (BTreeMap<(u32, i64), String>, u64) {
    let mut groups: BTreeMap<(u32, i64), Vec<Trade>> = BTreeMap::new();
    let mut latest: BTreeMap<u32, i64> = BTreeMap::new();
    let mut late = 0;
    for trade in trades {
        let start = trade.time_ns.div_euclid(interval) * interval;
        if latest
            .get(&trade.symbol)
            .is_some_and(|time| start + interval + lateness <= *time)
        {
            late += 1;
            continue;
        }
        let time = latest.entry(trade.symbol).or_insert(i64::MIN);
        *time = trade.time_ns.max(*time);
        groups.entry((trade.symbol, start)).or_default().push(*trade);
    }
    let candles = groups.into_iter().map(|(key, mut group)| {
        group.sort_by_key(|trade| trade.time_ns);
        let price = |trade: Option<&Trade>| trade.expect("not empty").price;
        let mut volume = DecimalSum::ZERO;
        group.iter().for_each(|trade| volume.add(trade.size));
        let (open, close) = (price(group.first()), price(group.last()));
        let high = group.iter().map(|trade| trade.price).max().expect("not empty");
        let low = group.iter().map(|trade| trade.price).min().expect("not empty");
        (
            key,
            format!("{} {open} {high} {low} {close} {volume} {}", key.1, group.len()),
        )
    });
    (candles.collect(), late)
}

#[test]
fn random_streams_give_the_candles_of_the_reference() {
    let mut generator = ChaCha8Rng::seed_from_u64(21);
    for round in 0..200 {
        let interval = generator.gen_range(1..50);
        let lateness = generator.gen_range(0..=interval * 3);
        let disorder = generator.gen_range(1..200);
        let mut time = generator.gen_range(-2_000..0);
        let trades: Vec<Trade> = (0..1_000)
            .map(|_| {
                time += generator.gen_range(0..6);
                Trade {
                    side: None,
                    quote: None,
                    symbol: generator.gen_range(0..3),
                    price: Decimal::new(generator.gen_range(1..500), 2).expect("within the bounds"),
                    size: Decimal::new(generator.gen_range(0..9), generator.gen_range(0..4))
                        .expect("within the bounds"),
                    time_ns: time - generator.gen_range(0..disorder),
                    sequence: 0,
                }
            })
            .collect();
        let (mut builder, mut closed) = (builder(interval, lateness), Vec::new());
        for trade in &trades {
            builder.push(trade, &mut closed);
            assert!(builder.open(trade.symbol).count() as i64 <= lateness / interval + 2);
        }
        builder.flush(&mut closed);
        let (expected, late) = reference(&trades, interval, lateness);
        for symbol in 0..3 {
            let starts: Vec<i64> = closed
                .iter()
                .filter(|c| c.symbol == symbol)
                .map(|c| c.start_ns)
                .collect();
            assert!(starts.is_sorted(), "{round}: {starts:?}");
        }
        assert_eq!((closed.len(), builder.late()), (expected.len(), late), "{round}");
        for candle in &closed {
            assert!(candle.low <= candle.open && candle.open <= candle.high);
            let same = expected
                .get(&(candle.symbol, candle.start_ns))
                .expect("in the reference");
            let got = line(candle);
            // Prices have two digits each; the texts are equal where the values are.
            assert_eq!(&got, same, "{round}");
        }
    }
}
