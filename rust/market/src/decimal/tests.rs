use super::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

/// Any decimal, all numbers of digits and all scales being equally likely.
fn random(generator: &mut ChaCha8Rng) -> Decimal {
    let end = power(generator.gen_range(0..=18));
    let units = generator.gen_range(-end + 1..end);
    Decimal::new(units, generator.gen_range(0..=18)).expect("within the bounds")
}

#[test]
fn texts_come_back_as_they_were() {
    let longest = [
        "0.123456789012345678",
        "-123456789012345678",
        "999999999999999999",
    ];
    for text in [
        "65000.10",
        "0",
        "0.00",
        "-1.5",
        "0.000000000000000001",
        "7",
        "100",
    ]
    .into_iter()
    .chain(longest)
    {
        assert_eq!(decimal(text).to_string(), text);
    }
}

#[test]
fn other_spellings_have_one_text() {
    for (text, plain) in [
        ("+1.50", "1.50"),
        ("007.5", "7.5"),
        (".5", "0.5"),
        ("5.", "5"),
        ("-0.0", "0.0"),
        ("1e3", "1000"),
        ("1.25E+1", "12.5"),
        ("1.25e-3", "0.00125"),
        ("0e99", "0"),
        ("0.0e-99", "0.000000000000000000"),
        ("1000e-20", "0.000000000000000010"),
        ("00000000000000000000000001", "1"),
    ] {
        assert_eq!(decimal(text).to_string(), plain, "{text}");
    }
}

#[test]
fn what_is_no_decimal_is_reported_apart() {
    for text in [
        "", "-", "+", ".", "-.", "e5", ".e1", "1e", "1e+", "1.2.3", "1,5", " 1", "1 ", "0x10", "NaN", "inf",
        "--1", "1e5.0", "\u{661}",
    ] {
        let got = Excerpt::new(text.as_bytes());
        assert_eq!(
            Decimal::parse(text.as_bytes()),
            Err(DecimalError::Malformed { got }),
            "{text}"
        );
    }
    for text in [
        "1234567890123456789",
        "1e18",
        "0.1234567890123456789",
        "123456789012345678901234567890",
    ] {
        let got = Excerpt::new(text.as_bytes());
        assert_eq!(
            Decimal::parse(text.as_bytes()),
            Err(DecimalError::TooManyDigits { got })
        );
    }
    for text in ["0.0000000000000000001", "1e-19", "0.0000000000000000000"] {
        let got = Excerpt::new(text.as_bytes());
        assert_eq!(
            Decimal::parse(text.as_bytes()),
            Err(DecimalError::TooFine { got })
        );
    }
    assert!(Decimal::new(power(18), 0).is_none() && Decimal::new(0, 19).is_none());
}

#[test]
fn random_decimals_survive_text_and_compare_by_value() {
    let mut generator = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..100_000 {
        let (a, b) = (random(&mut generator), random(&mut generator));
        let again = decimal(&a.to_string());
        assert_eq!((again.units, again.scale), (a.units, a.scale));
        let exact = |x: Decimal| i128::from(x.units) * i128::from(power(18 - x.scale));
        assert_eq!(a.cmp(&b), exact(a).cmp(&exact(b)), "{a} {b}");
        assert_eq!(a.to_f64(), a.to_string().parse::<f64>().expect("a number"), "{a}");
        if let Some(sum) = a.checked_add(b) {
            assert_eq!(exact(sum), exact(a) + exact(b));
            assert!(sum.checked_sub(b).is_none_or(|back| back == a), "{a} {b}");
        }
    }
}

#[test]
fn equal_values_have_equal_hashes() {
    let mut set = std::collections::HashSet::new();
    assert!(set.insert(decimal("1.0")));
    assert!(!set.insert(decimal("1.000")));
    assert!(set.insert(decimal("-1.0")));
}

#[test]
fn doubles_become_the_decimals_that_they_were_made_of() {
    let mut generator = ChaCha8Rng::seed_from_u64(2);
    for _ in 0..100_000 {
        let units = generator.gen_range(-(1_i64 << 51)..1 << 51);
        let made = Decimal::new(units, generator.gen_range(0..=18)).expect("within the bounds");
        let back = Decimal::from_f64_rounded(made.to_f64(), made.scale).expect("within the bounds");
        assert_eq!(back.units, made.units);
    }
    let rounded = |value, scale| Decimal::from_f64_rounded(value, scale).map(|x| x.to_string());
    assert_eq!(rounded(1.005_001, 2).as_deref(), Some("1.01"));
    assert_eq!(rounded(-2.5, 0).as_deref(), Some("-3"));
    assert_eq!(
        rounded(4_503_599_627_370_497.0, 0).as_deref(),
        Some("4503599627370497")
    );
    assert_eq!(rounded(f64::NAN, 2), None);
    assert_eq!(rounded(1e18, 0), None);
    assert_eq!(rounded(1.0, 19), None);
}

#[test]
fn sums_are_exact_in_any_order_and_beyond_a_decimal() {
    let mut generator = ChaCha8Rng::seed_from_u64(3);
    let values: Vec<Decimal> = (0..10_000).map(|_| random(&mut generator)).collect();
    let (mut sum, mut reverse) = (DecimalSum::ZERO, DecimalSum::ZERO);
    // Whole parts and fractions apart, so that the reference does not overflow either.
    let (mut wholes, mut fractions) = (0_i128, 0_i128);
    for value in &values {
        sum.add(*value);
        wholes += i128::from(value.units / power(value.scale));
        fractions += i128::from(value.units % power(value.scale)) * i128::from(power(18 - value.scale));
    }
    values.iter().rev().for_each(|value| reverse.add(*value));
    assert_eq!(sum, reverse);
    wholes += fractions.div_euclid(i128::from(power(18)));
    fractions = fractions.rem_euclid(i128::from(power(18)));
    let mut expected = wholes;
    let mut sign = "";
    if wholes < 0 {
        sign = "-";
        expected = if fractions == 0 { -wholes } else { -wholes - 1 };
        fractions = if fractions == 0 {
            0
        } else {
            i128::from(power(18)) - fractions
        };
    }
    assert_eq!(sum.to_string(), format!("{sign}{expected}.{fractions:018}"));
}

#[test]
fn small_sums_are_decimals_and_large_ones_only_text() {
    let mut sum = DecimalSum::ZERO;
    assert_eq!(sum.to_string(), "0");
    for text in ["0.25", "-1.5", "0.05"] {
        sum.add(decimal(text));
    }
    assert_eq!(
        (sum.to_string().as_str(), sum.to_decimal()),
        ("-1.20", Some(decimal("-1.2")))
    );
    assert_eq!(sum.to_f64(), -1.2);
    for _ in 0..1_000 {
        sum.add(decimal("999999999999999999"));
    }
    assert_eq!(
        (sum.to_string().as_str(), sum.to_decimal()),
        ("999999999999999998998.80", None)
    );
    assert_eq!(sum.to_f64(), 999_999_999_999_999_998_998.8);
}
