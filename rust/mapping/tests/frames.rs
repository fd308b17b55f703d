//! Frames out of bytes: each kind of YUV4MPEG2, raw gray, and pictures.

use rustle_mapping::frames::{Format, Frame, FrameError, FrameReader, write_y4m_header};

/// The frames of bytes that come so many at a time, and the error at their end.
fn read(format: Format, bytes: &[u8], piece: usize) -> (Vec<Frame>, Result<(), FrameError>) {
    let mut reader = FrameReader::new(format).expect("format");
    let mut frames = Vec::new();
    for piece in bytes.chunks(piece) {
        if let Err(error) = reader.push(piece, |frame| frames.push(frame)) {
            return (frames, Err(error));
        }
    }
    (frames, reader.finish())
}

fn y4m(header: &str, planes: &[u8]) -> Vec<u8> {
    [b"YUV4MPEG2 ", header.as_bytes(), b"\nFRAME Xcomment\n", planes].concat()
}

#[test]
fn luma_of_each_colour_space_is_read_and_the_other_planes_are_skipped() {
    // 3 x 2 pixels; the chroma of 420 is 2 x 1, of 422 2 x 2, of 411 1 x 2.
    let luma = [16, 235, 126, 0, 255, 16];
    for (kind, chroma) in [
        ("", 4),
        ("C420", 4),
        ("C420jpeg", 4),
        ("C420mpeg2", 4),
        ("C420paldv", 4),
        ("C422", 8),
        ("C444", 12),
        ("C440", 6),
        ("C411", 4),
        ("C444alpha", 18),
        ("Cmono XCOLORRANGE=LIMITED", 0),
    ] {
        let planes = [&luma[..], &vec![99; chroma]].concat();
        let file = [
            y4m(&format!("W3 H2 F25:1 Ip A1:1 {kind}"), &planes),
            b"FRAME\n".to_vec(),
            planes,
        ]
        .concat();
        for piece in [1, 7, file.len()] {
            let (frames, end) = read(Format::Y4m, &file, piece);
            assert_eq!((frames.len(), end), (2, Ok(())), "{kind} by {piece}");
            // Limited range: 16 is black, 235 white, and what is outside is cut off.
            assert_eq!(frames[0].pixels, [0, 65_535, 32_917, 0, 65_535, 0], "{kind}");
            assert_eq!((frames[1].width, frames[1].height), (3, 2));
        }
    }
}

#[test]
fn range_is_that_of_the_tag_or_else_that_of_the_colour_space() {
    for (kind, expected) in [
        ("Cmono", [0, 32_896, 65_535]),
        ("Cmono XCOLORRANGE=FULL", [0, 32_896, 65_535]),
        ("C420 XCOLORRANGE=FULL", [0, 32_896, 65_535]),
        ("C420jpeg", [0, 33_516, 65_535]),
    ] {
        let (frames, _) = read(
            Format::Y4m,
            &y4m(&format!("W3 H1 {kind}"), &[0, 128, 255, 9, 9, 9, 9]),
            64,
        );
        assert_eq!(frames[0].pixels, expected, "{kind}");
    }
}

#[test]
fn samples_of_ten_and_sixteen_bits_are_little_endian() {
    let ten: Vec<u8> = [64_u16, 940, 502, 1_023]
        .iter()
        .flat_map(|sample| sample.to_le_bytes())
        .chain([0; 4])
        .collect();
    let (frames, end) = read(Format::Y4m, &y4m("W2 H2 C420p10", &ten), 5);
    assert_eq!(
        (frames[0].pixels.as_slice(), end),
        (&[0, 65_535, 32_768, 65_535][..], Ok(()))
    );
    let sixteen: Vec<u8> = [0_u16, 1, 256, 65_535]
        .iter()
        .flat_map(|sample| sample.to_le_bytes())
        .collect();
    let (frames, _) = read(Format::Y4m, &y4m("W2 H2 Cmono16", &sixteen), 5);
    assert_eq!(frames[0].pixels, [0, 1, 256, 65_535]);
}

#[test]
fn what_is_no_file_is_named_with_its_frame_and_what_came_before_is_kept() {
    for (file, expected) in [
        ("YUV4MPEG1 W2 H2\n", "begins with YUV4MPEG2"),
        ("YUV4MPEG2 W2 H2 It\n", "progressive"),
        ("YUV4MPEG2 W2 H2 Im\n", "progressive"),
        ("YUV4MPEG2 W0 H2\n", "sides of 1 to 8192"),
        ("YUV4MPEG2 H2\n", "sides of 1 to 8192"),
        ("YUV4MPEG2 W8192 H8192\n", "sides of 1 to 8192"),
        ("YUV4MPEG2 W2x H2\n", "a side in pixels"),
        ("YUV4MPEG2 W2 H2 F30\n", "a rate"),
        ("YUV4MPEG2 W2 H2 C420p17\n", "a colour space"),
        ("YUV4MPEG2 W2 H2 Cmono\nFRAM\n", "begins with FRAME"),
        ("", "a frame"),
    ] {
        let (_, end) = read(Format::Y4m, file.as_bytes(), 3);
        let error = end.expect_err(file);
        assert!(error.to_string().contains(expected), "{file}: {error}");
    }
    let long = format!("YUV4MPEG2 W2 H2 X{}\n", "x".repeat(2_000));
    assert!(
        read(Format::Y4m, long.as_bytes(), 100)
            .1
            .expect_err("long")
            .to_string()
            .contains("1024 bytes")
    );
    let short = [y4m("W2 H1 Cmono", &[1, 2]), b"FRAME\n\x03".to_vec()].concat();
    let (frames, end) = read(Format::Y4m, &short, 4);
    assert_eq!(
        (frames.len(), end.expect_err("short").to_string()),
        (
            1,
            "frame 1: expected a whole frame, got its first 7 bytes".to_owned()
        )
    );
}

#[test]
fn own_header_is_read_with_its_rate() {
    let file = [write_y4m_header(2, 1, 30), b"FRAME\n".to_vec(), vec![0, 255]].concat();
    let mut reader = FrameReader::new(Format::Y4m).expect("reader");
    reader
        .push(&file, |frame| assert_eq!(frame.pixels, [0, 65_535]))
        .expect("frame");
    assert_eq!((reader.count(), reader.interval_ns()), (1, Some(33_333_333)));
}

#[test]
fn gray_without_a_header_is_cut_into_frames() {
    let (frames, end) = read(
        Format::Gray { width: 2, height: 2 },
        &[0, 1, 2, 255, 4, 5, 6, 7],
        3,
    );
    assert_eq!(
        (frames.len(), &frames[0].pixels[..], end),
        (2, &[0, 257, 514, 65_535][..], Ok(()))
    );
    assert!(FrameReader::new(Format::Gray { width: 0, height: 2 }).is_err());
}

#[test]
fn pictures_are_frames_of_one_size() {
    let png = |kind, depth, bytes: &[u8]| {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, 2, 1);
        encoder.set_color(kind);
        encoder.set_depth(depth);
        encoder
            .write_header()
            .and_then(|mut writer| writer.write_image_data(bytes))
            .expect("png");
        file
    };
    let files: [(Vec<u8>, [u16; 2]); 6] = [
        (
            png(png::ColorType::Grayscale, png::BitDepth::Eight, &[0, 255]),
            [0, 65_535],
        ),
        (
            png(
                png::ColorType::Grayscale,
                png::BitDepth::Sixteen,
                &[0, 1, 255, 255],
            ),
            [1, 65_535],
        ),
        (
            png(
                png::ColorType::GrayscaleAlpha,
                png::BitDepth::Eight,
                &[7, 255, 9, 0],
            ),
            [1_799, 2_313],
        ),
        (
            png(png::ColorType::Rgb, png::BitDepth::Eight, &[255, 0, 0, 0, 255, 0]),
            [19_594, 38_469],
        ),
        (b"P5\n# a comment\n2 1\n100\n\x00\x32".to_vec(), [0, 32_768]),
        (b"P5 2 1 65535\n\x01\x00\xff\xff".to_vec(), [256, 65_535]),
    ];
    let mut reader = FrameReader::new(Format::Images).expect("reader");
    for (file, expected) in &files {
        reader
            .push(file, |frame| assert_eq!(frame.pixels, expected))
            .expect("picture");
    }
    assert_eq!((reader.count(), reader.finish()), (6, Ok(())));
    let other = reader
        .push(b"P5 1 1 255\n\x00", |_| {})
        .expect_err("another size");
    assert_eq!(other.to_string(), "frame 6: expected 2 x 1 pixels, got 1 x 1");
    for (file, expected) in [
        (&b"GIF89a"[..], "a PNG or a PGM"),
        (b"P5 2 1 255\n\x00", "2 pixels"),
        (b"P5 2 1 0\n", "highest value"),
    ] {
        let mut reader = FrameReader::new(Format::Images).expect("reader");
        assert!(
            reader
                .push(file, |_| {})
                .expect_err("no picture")
                .to_string()
                .contains(expected)
        );
    }
}

#[test]
fn smaller_frame_has_the_means_of_its_blocks() {
    let frame = Frame {
        width: 5,
        height: 2,
        pixels: vec![0, 4, 8, 8, 9, 4, 8, 0, 0, 9],
    };
    let small = frame.clone().reduced(2);
    assert_eq!((small.width, small.height, small.pixels), (2, 1, vec![4, 4]));
    assert_eq!(frame.clone().reduced(1), frame);
}
