//! Frames that are drawn without allocating.

mod rooms;

use rooms::{Room, fixture, lit};
use rustle_shows::venue::{Canvas, PictureSettings, View};
use rustle_testkit::{CountingAllocator, allocations_in};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn counter_counts() {
    let (count, _) = allocations_in(|| vec![1_u8; 100]);
    assert_eq!(count, 1);
}

#[test]
fn frames_do_not_allocate() {
    let fixtures = [
        fixture(1, "moving-head", [5.0, 5.0, 4.0], ""),
        fixture(2, "bar-16", [3.0, 2.0, 1.0], ""),
    ];
    let room = Room::new(&fixtures, r#"{"outline":[[0,0],[10,0],[10,8],[0,8]],"height":5}"#);
    let settings = PictureSettings {
        has_labels: true,
        ..PictureSettings::new(320, 180, View::Front)
    };
    let plan = room.plan(settings);
    let mut look = lit(&room.stage, [1.0, 0.5, 0.0]);
    let (mut picture, mut canvas) = (room.drawn(settings, &look), Canvas::new());
    canvas.draw(&picture);
    let (count, sum) = allocations_in(|| {
        let mut sum = 0;
        for tilt in 0..90_u8 {
            look.heads[0].tilt = f32::from(tilt);
            look.green.fill(f32::from(tilt) / 90.0);
            plan.light(&look, &mut picture);
            sum += canvas
                .draw(&picture)
                .iter()
                .map(|byte| u64::from(*byte))
                .sum::<u64>();
        }
        sum
    });
    assert_eq!(count, 0);
    assert!(sum > 0);
}
