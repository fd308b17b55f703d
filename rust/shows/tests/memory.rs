//! Frames of a show need no memory.

use rustle_shows::Moment;
use rustle_shows::player::{Input, Player};
use rustle_shows::show::Demo;
use rustle_testkit::{CountingAllocator, allocated_bytes_in, allocations_in};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn frames_and_inputs_need_no_memory() {
    let mut player = Player::new(&Demo::Festival.show(), &Demo::Festival.rig());
    let mut seen = 0.0;
    let (count, ()) = allocations_in(|| {
        for frame in 0..3_000_u32 {
            let time = f64::from(frame) / 44.0;
            let now = Moment::new(time * 2.0, time).unwrap_or_default();
            let input = match frame % 40 {
                0 => Input::Go,
                7 => Input::Onset(0.7),
                9 => Input::Level(0.5),
                11 => Input::Blackout(frame % 80 == 11),
                13 => Input::Cue(frame as usize % 9),
                _ => Input::Master(1.0),
            };
            assert!(player.input(now, input).is_ok());
            seen += player.frame(now).blue[17];
        }
    });
    assert!(seen > 0.0);
    assert_eq!(count, 0);
}

/// 170,000 pixels: what a layer has for each of them is in memory once for all scenes with its fixtures and direction.
#[test]
fn scenes_share_what_their_layers_have_in_common() {
    let rig = Demo::Wall.rig();
    let bytes = |copies: usize| {
        let mut show = Demo::Wall.show();
        show.scenes = std::iter::repeat_n(show.scenes, copies).flatten().collect();
        let (bytes, player) = allocated_bytes_in(|| Player::new(&show, &rig));
        drop(player);
        bytes
    };
    let (one, many) = (bytes(1), bytes(30));
    assert!(many < one + one / 4, "{many} bytes, of one show {one}");
}
