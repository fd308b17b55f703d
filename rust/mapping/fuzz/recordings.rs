//! A libFuzzer target: the bytes are a recording, a schedule, a result or a truth, in pieces.
//!
//! Nothing may panic, frames have as many pixels as their sides say, and a schedule or a result that was read is written and read
//! the same.
//!
//! scripts/fuzz builds and runs it.
#![no_main]

use rustle_mapping::decode::Mapping;
use rustle_mapping::frames::{Format, FrameReader};
use rustle_mapping::judge::read_truth;
use rustle_mapping::schedule::Schedule;

/// Beginnings of files, so that not each input has to find them.
const HEADERS: [&[u8]; 4] = [
    b"",
    b"YUV4MPEG2 W3 H2 F30:1 Ip C420\n",
    b"YUV4MPEG2 W2 H1 Cmono16 XCOLORRANGE=LIMITED\nFRAME\n",
    b"P5 2 2 255\n",
];

/// Called by libFuzzer with each input. A broken promise ends the process, which libFuzzer reports with the input.
///
/// # Safety
/// `data` points to `length` bytes that nobody writes during the call.
#[no_mangle]
pub unsafe extern "C" fn LLVMFuzzerTestOneInput(data: *const u8, length: usize) -> i32 {
    // SAFETY: the caller's promise; libFuzzer hands in a pointer that is not NULL also for no bytes.
    let bytes = unsafe { std::slice::from_raw_parts(data, length) };
    let Some(([kind, piece], rest)) = bytes.split_first_chunk() else {
        return 0;
    };
    let header = HEADERS.get(usize::from(kind >> 2)).copied().unwrap_or_default();
    let file = [header, rest].concat();
    let format = match kind & 3 {
        0 => Format::Y4m,
        1 => Format::Images,
        2 => Format::Gray { width: 3, height: 5 },
        _ => {
            texts(&file);
            return 0;
        }
    };
    let Ok(mut reader) = FrameReader::new(format) else {
        return 0;
    };
    let mut frames = 0;
    let pieces = if format == Format::Images {
        file.len()
    } else {
        usize::from(*piece)
    };
    for part in file.chunks(pieces.max(1)) {
        let read = reader.push(part, |frame| {
            assert_eq!(frame.pixels.len(), frame.width as usize * frame.height as usize);
            frames += 1;
        });
        if read.is_err() {
            assert!(reader.finish().is_err());
            break;
        }
    }
    assert_eq!(reader.count(), frames);
    0
}

fn texts(file: &[u8]) {
    if let Ok(schedule) = Schedule::read(file, 5) {
        assert_eq!(
            Schedule::read(schedule.to_json().as_bytes(), 5).as_ref(),
            Ok(&schedule)
        );
    }
    if let Ok(mapping) = Mapping::read(file) {
        let again = Mapping::read(mapping.to_json().as_bytes());
        assert_eq!(again.map(|again| again.found()), Ok(mapping.found()));
    }
    let _ = read_truth(file);
}
