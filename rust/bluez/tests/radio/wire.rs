//! Values and messages: all types, both orders of bytes, and bytes that are no messages.

use crate::bus::{message, text};
use rustle_bluez::wire::{Kind, Message, Value, length};

fn everything() -> Vec<Value> {
    let nested = Value::Struct(vec![
        Value::Byte(1),
        Value::Variant(Box::new(Value::Array(vec![Value::U64(9), Value::U64(10)]))),
    ]);
    vec![
        Value::Byte(250),
        Value::Bool(true),
        Value::I16(-2),
        Value::U16(65_535),
        Value::I32(-70_000),
        Value::U32(70_000),
        Value::I64(-5_000_000_000),
        Value::U64(u64::MAX),
        Value::F64(-0.5),
        text("é"),
        Value::Path("/a/b".to_owned()),
        Value::Signature("a{sv}".to_owned()),
        Value::Bytes(vec![0, 1, 255]),
        Value::Array(vec![text("a"), text("")]),
        Value::Map(vec![(
            Value::U16(0xFFFF),
            Value::Variant(Box::new(Value::Bytes(vec![1]))),
        )]),
        nested,
    ]
}

#[test]
fn every_type_is_read_in_both_orders_of_bytes() {
    for is_little in [true, false] {
        let fields = [(5, Value::U32(3)), (7, text(":1.9"))];
        let bytes = message(2, &fields, &everything(), is_little);
        assert_eq!(length(&bytes), Ok(Some(bytes.len())));
        let read = Message::read(&bytes).expect("well formed");
        assert_eq!(
            (read.kind, read.reply_to, read.sender.as_str()),
            (Kind::Return, 3, ":1.9")
        );
        assert_eq!(read.body, everything());
    }
}

#[test]
fn every_beginning_of_a_message_waits_and_every_changed_byte_is_no_panic() {
    let bytes = message(4, &[(1, Value::Path("/".to_owned()))], &everything(), true);
    for end in 0..bytes.len() {
        assert_ne!(length(&bytes[..end]), Ok(Some(end)));
        assert!(Message::read(&bytes[..end]).is_err());
    }
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            // Whatever it says: it ends.
            let _ = Message::read(&changed);
        }
    }
}

#[test]
fn lengths_and_depths_are_bounded() {
    let mut long = message(2, &[], &[Value::Bytes(vec![0; 8])], true);
    long[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(
        length(&long).map_err(|fault| fault.expected),
        Err("at most 16 MiB")
    );
    let deep = (0..70).fold(Value::Byte(1), |inner, _| Value::Variant(Box::new(inner)));
    let fault = Message::read(&message(2, &[], &[deep], true)).expect_err("too deep");
    assert_eq!(fault.expected, "less depth");
    let shallow = (0..60).fold(Value::Byte(1), |inner, _| Value::Variant(Box::new(inner)));
    assert!(Message::read(&message(2, &[], &[shallow], true)).is_ok());
}
