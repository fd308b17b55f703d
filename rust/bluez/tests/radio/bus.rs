//! What a bus sends: messages written by the specification, apart from the code under test.

use rustle_bluez::wire::Value;

/// The type of a value.
fn signature(value: &Value) -> String {
    match value {
        Value::Byte(_) => "y".to_owned(),
        Value::Bool(_) => "b".to_owned(),
        Value::I16(_) => "n".to_owned(),
        Value::U16(_) => "q".to_owned(),
        Value::I32(_) => "i".to_owned(),
        Value::U32(_) => "u".to_owned(),
        Value::I64(_) => "x".to_owned(),
        Value::U64(_) => "t".to_owned(),
        Value::F64(_) => "d".to_owned(),
        Value::Text(_) => "s".to_owned(),
        Value::Path(_) => "o".to_owned(),
        Value::Signature(_) => "g".to_owned(),
        Value::Bytes(_) => "ay".to_owned(),
        Value::Array(elements) => format!("a{}", elements.first().map_or("s".to_owned(), signature)),
        Value::Map(entries) => match entries.first() {
            Some((key, value)) => format!("a{{{}{}}}", signature(key), signature(value)),
            None => "a{sv}".to_owned(),
        },
        Value::Struct(members) => format!("({})", members.iter().map(signature).collect::<String>()),
        Value::Variant(_) => "v".to_owned(),
    }
}

fn align(out: &mut Vec<u8>, size: usize) {
    out.resize(out.len().next_multiple_of(size), 0);
}

fn number(out: &mut Vec<u8>, bytes: &[u8], is_little: bool) {
    align(out, bytes.len());
    if is_little {
        out.extend(bytes);
    } else {
        out.extend(bytes.iter().rev());
    }
}

fn alignment(value: &Value) -> usize {
    match value {
        Value::Byte(_) | Value::Signature(_) | Value::Variant(_) => 1,
        Value::I16(_) | Value::U16(_) => 2,
        Value::I64(_) | Value::U64(_) | Value::F64(_) | Value::Struct(_) => 8,
        _ => 4,
    }
}

fn put(out: &mut Vec<u8>, value: &Value, is_little: bool) {
    let text = |out: &mut Vec<u8>, text: &str| {
        number(out, &(text.len() as u32).to_le_bytes(), is_little);
        out.extend(text.as_bytes());
        out.push(0);
    };
    match value {
        Value::Byte(byte) => out.push(*byte),
        Value::Bool(truth) => number(out, &u32::from(*truth).to_le_bytes(), is_little),
        Value::I16(value) => number(out, &value.to_le_bytes(), is_little),
        Value::U16(value) => number(out, &value.to_le_bytes(), is_little),
        Value::I32(value) => number(out, &value.to_le_bytes(), is_little),
        Value::U32(value) => number(out, &value.to_le_bytes(), is_little),
        Value::I64(value) => number(out, &value.to_le_bytes(), is_little),
        Value::U64(value) => number(out, &value.to_le_bytes(), is_little),
        Value::F64(value) => number(out, &value.to_le_bytes(), is_little),
        Value::Text(value) | Value::Path(value) => text(out, value),
        Value::Signature(value) => {
            out.push(value.len() as u8);
            out.extend(value.as_bytes());
            out.push(0);
        }
        Value::Bytes(bytes) => {
            number(out, &(bytes.len() as u32).to_le_bytes(), is_little);
            out.extend(bytes);
        }
        Value::Array(elements) => {
            let alignment = elements.first().map_or(4, alignment);
            list(out, alignment, is_little, |out| {
                elements.iter().for_each(|element| put(out, element, is_little));
            });
        }
        Value::Map(entries) => list(out, 8, is_little, |out| {
            for (key, value) in entries {
                align(out, 8);
                put(out, key, is_little);
                put(out, value, is_little);
            }
        }),
        Value::Struct(members) => {
            align(out, 8);
            members.iter().for_each(|member| put(out, member, is_little));
        }
        Value::Variant(inner) => {
            put(out, &Value::Signature(signature(inner)), is_little);
            put(out, inner, is_little);
        }
    }
}

fn list(out: &mut Vec<u8>, alignment: usize, is_little: bool, fill: impl FnOnce(&mut Vec<u8>)) {
    number(out, &[0; 4], is_little);
    let length = out.len() - 4;
    align(out, alignment);
    let start = out.len();
    fill(out);
    let mut filled = ((out.len() - start) as u32).to_le_bytes();
    if !is_little {
        filled.reverse();
    }
    out[length..length + 4].copy_from_slice(&filled);
}

/// A message: its kind (2 return, 3 error, 4 signal), its header's fields, and its body.
pub(crate) fn message(kind: u8, fields: &[(u8, Value)], body: &[Value], is_little: bool) -> Vec<u8> {
    let mut values = Vec::new();
    body.iter().for_each(|value| put(&mut values, value, is_little));
    let mut out = vec![if is_little { b'l' } else { b'B' }, kind, 1, 1];
    number(&mut out, &(values.len() as u32).to_le_bytes(), is_little);
    number(&mut out, &7_u32.to_le_bytes(), is_little);
    let mut fields: Vec<_> = fields.to_vec();
    if !body.is_empty() {
        fields.push((8, Value::Signature(body.iter().map(signature).collect())));
    }
    list(&mut out, 8, is_little, |out| {
        for (code, value) in fields {
            align(out, 8);
            out.push(code);
            put(out, &Value::Variant(Box::new(value)), is_little);
        }
    });
    align(&mut out, 8);
    out.extend(values);
    out
}

pub(crate) fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

pub(crate) fn path(path: &str) -> Value {
    Value::Path(path.to_owned())
}

/// Properties: `a{sv}`.
pub(crate) fn properties(entries: &[(&str, Value)]) -> Value {
    let entry = |(name, value): &(&str, Value)| (text(name), Value::Variant(Box::new(value.clone())));
    Value::Map(entries.iter().map(entry).collect())
}

/// Interfaces with properties: `a{sa{sv}}`.
pub(crate) fn interfaces(entries: &[(&str, Value)]) -> Value {
    Value::Map(
        entries
            .iter()
            .map(|(name, value)| (text(name), value.clone()))
            .collect(),
    )
}

/// The answer to a call.
pub(crate) fn answer(serial: u32, body: &[Value]) -> Vec<u8> {
    message(2, &[(5, Value::U32(serial)), (7, text(":1.2"))], body, true)
}

/// The failure of a call.
pub(crate) fn failure(serial: u32, name: &str, words: &str) -> Vec<u8> {
    message(
        3,
        &[(5, Value::U32(serial)), (4, text(name)), (7, text(":1.2"))],
        &[text(words)],
        true,
    )
}

/// A signal of a sender.
pub(crate) fn signal(sender: &str, of: &str, interface: &str, member: &str, body: &[Value]) -> Vec<u8> {
    let fields = [
        (1, path(of)),
        (2, text(interface)),
        (3, text(member)),
        (7, text(sender)),
    ];
    message(4, &fields, body, true)
}

/// A device with the service of a node.
pub(crate) fn device(address: &str, rssi: i16) -> Value {
    let uuids = Value::Array(vec![text("4368726F-6D61-444D-5800-000000000001")]);
    let data = vec![(
        Value::U16(0xFFFF),
        Value::Variant(Box::new(Value::Bytes(vec![1, 2, 3]))),
    )];
    let all = properties(&[
        ("Address", text(address)),
        ("Name", text("lamp")),
        ("RSSI", Value::I16(rssi)),
        ("UUIDs", uuids),
        ("ManufacturerData", Value::Map(data)),
        ("Connected", Value::Bool(false)),
        ("ServicesResolved", Value::Bool(false)),
    ]);
    interfaces(&[("org.bluez.Device1", all)])
}

/// The objects of a node's service below its device.
pub(crate) fn service(device: &str) -> Vec<(String, Value)> {
    let service = format!("{device}/service0010");
    let uuid = ("UUID", text("4368726f-6d61-444d-5800-000000000001"));
    let mut objects = vec![(
        service.clone(),
        interfaces(&[("org.bluez.GattService1", properties(&[uuid]))]),
    )];
    for last in ["10", "11", "12", "13", "14", "15", "16", "20"] {
        let uuid = format!("4368726f-6d61-444d-5800-0000000000{last}");
        let all = properties(&[("UUID", text(&uuid)), ("Service", path(&service))]);
        objects.push((
            format!("{service}/char00{last}"),
            interfaces(&[("org.bluez.GattCharacteristic1", all)]),
        ));
    }
    objects
}
