//! What a client's line costs in memory, whatever is in it.

use rustle_market::{MAX_SYMBOLS, parse_subscription, write_subscription};
use rustle_testkit::{CountingAllocator, allocated_bytes_in};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The bytes of a subscription that a message of another length takes up to.
const BOUND: u64 = 20_000_000;

#[test]
fn subscription_to_every_symbol_takes_about_its_own_size() {
    let names: Vec<String> = (0..MAX_SYMBOLS).map(|n| format!("{n:032}")).collect();
    let mut line = Vec::new();
    write_subscription(Some(names.iter().map(String::as_str)), &mut line);
    let (bytes, read) = allocated_bytes_in(|| parse_subscription(&line));
    assert_eq!(read, Ok(Some(names)));
    // Each name, and a list and a set of them that grew by doubling.
    assert!((3_200_000..BOUND).contains(&bytes), "{bytes}");
}

#[test]
fn hostile_subscription_is_refused_before_memory_grows() {
    let size = 6_600_000;
    let list = |element: &str| {
        format!(
            "{{\"subscribe\":[{}1]}}",
            format!("{element},").repeat(size / (element.len() + 1))
        )
    };
    let lines = [
        (list("1"), 10_000),
        (list("[[1]]"), 10_000),
        (list("{\"a\":{}}"), 10_000),
        (list(&format!("\"{}\"", "x".repeat(33))), 10_000),
        (list("\"A\""), BOUND),
        (format!("{{\"subscribe\":\"{}\"}}", "a".repeat(size)), 10_000),
        (
            format!("{{{}\"subscribe\":1}}", "\"a\":[1],".repeat(size / 8)),
            10_000,
        ),
        (format!("[{}1]", "1,".repeat(size / 2)), 10_000),
        // One byte for each level.
        ("[".repeat(size), BOUND),
    ];
    for (line, most) in lines {
        let (bytes, read) = allocated_bytes_in(|| parse_subscription(line.as_bytes()).is_err());
        assert!(read && bytes <= most, "{}…: {bytes} bytes", &line[..40]);
    }
}
