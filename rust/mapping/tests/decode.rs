//! The decoder against simulated recordings, by the truth.

use rustle_mapping::decode::{Decoder, Mapping, Reason};
use rustle_mapping::frames::Frame;
use rustle_mapping::judge::{Verdict, judge, judged, read_truth, truth_json};
use rustle_mapping::schedule::{Schedule, State};
use rustle_mapping::simulate::{Camera, Difficulty, Light, Scene};

fn recorded(scene: Scene, schedule: &Schedule) -> (Mapping, Verdict) {
    let mut camera = Camera::new(scene);
    let mut decoder = Decoder::new(schedule.clone());
    for frame in camera.record(schedule) {
        decoder.push(frame);
    }
    let mapping = decoder.mapping();
    let verdict = judge(&camera.truth(), &mapping);
    (mapping, verdict)
}

#[test]
fn thousand_fixtures_in_the_dark_and_in_a_club_are_all_found() {
    let schedule = Schedule::standard(1_000, 2).expect("schedule");
    for difficulty in [Difficulty::Dark, Difficulty::Club] {
        let (_, verdict) = recorded(Scene::new(difficulty, 31, 640, 480, 1_000), &schedule);
        assert_eq!((verdict.found, verdict.wrong), (1_000, 0), "{verdict:?}");
        assert!(verdict.median <= 0.05, "{verdict:?}");
    }
}

#[test]
fn hard_venues_lose_few_fixtures_and_with_check_bits_fewer_at_honest_confidence() {
    let mut confident = [(0, 0); 2];
    for (schedule, recall, most_wrong) in [
        (Schedule::standard(1_000, 2), 0.976, 0.001),
        (Schedule::checked(1_000, 2), 0.99, 0.001),
    ] {
        let schedule = schedule.expect("schedule");
        let (mut alive, mut found, mut wrong) = (0, 0, 0);
        for seed in 41..46 {
            let scene = Scene::new(Difficulty::Hard, seed, 640, 480, 1_000);
            let truth = Camera::new(scene.clone()).truth();
            let (mapping, verdict) = recorded(scene, &schedule);
            alive += verdict.alive;
            found += verdict.found;
            wrong += verdict.wrong;
            assert!(verdict.median <= 0.1, "{verdict:?}");
            for found in mapping.fixtures.iter().filter(|found| found.place.is_ok()) {
                let mut alone = mapping.clone();
                alone.fixtures = vec![*found];
                let wrong = judge(&truth[found.id as usize..=found.id as usize], &alone).wrong;
                for ((count, bad), least) in confident.iter_mut().zip([0.95, 0.98]) {
                    if found.confidence >= least {
                        *count += 1;
                        *bad += wrong;
                    }
                }
            }
        }
        assert!(found as f64 >= recall * alive as f64, "{found} of {alive}");
        assert!(
            wrong as f64 <= most_wrong * alive as f64,
            "{wrong} wrong of {alive}"
        );
    }
    // Of places with a confidence, at most the rest of it is wrong.
    for ((count, bad), least) in confident.into_iter().zip([0.95, 0.98]) {
        assert!(
            count > 5_000 && bad as f64 <= (1.0 - least) * count as f64,
            "{bad} of {count} from {least} on"
        );
    }
}

#[test]
fn mirror_images_of_lamps_that_are_not_seen_are_no_places() {
    let schedule = Schedule::checked(1_000, 2).expect("schedule");
    for seed in [13, 15, 20] {
        let (_, verdict) = recorded(Scene::new(Difficulty::Hard, seed, 640, 480, 1_000), &schedule);
        assert_eq!(verdict.wrong, 0, "{seed}: {verdict:?}");
        assert!(verdict.recall() > 0.98, "{seed}: {verdict:?}");
    }
}

#[test]
fn lamps_that_are_dim_and_out_of_focus_are_no_mirror_images() {
    for (schedule, count) in [
        (Schedule::standard(300, 2), 300),
        (Schedule::checked(300, 2), 300),
        (Schedule::sequential(24, 2), 24),
    ] {
        let schedule = schedule.expect("schedule");
        for (seed, soft) in [(14, 0.05), (15, 0.3)] {
            let scene = Scene {
                blur: 1.0,
                soft,
                ..Scene::new(Difficulty::Dark, seed, 640, 480, count)
            };
            let (mapping, verdict) = recorded(scene, &schedule);
            assert_eq!((verdict.found, verdict.wrong), (count, 0), "{verdict:?}");
            let sure = mapping.fixtures.iter().filter(|found| found.is_sure()).count();
            assert!(sure * 5 >= count * 4, "{sure} of {count}");
        }
    }
}

#[test]
fn few_fixtures_and_one_are_found() {
    for count in [1, 2, 3, 5] {
        let schedule = Schedule::standard(count, 2).expect("schedule");
        let (_, verdict) = recorded(Scene::new(Difficulty::Club, 50, 320, 240, count), &schedule);
        assert_eq!((verdict.found, verdict.wrong), (count, 0), "{count}: {verdict:?}");
    }
}

#[test]
fn places_at_fractions_of_a_pixel_have_no_bias() {
    let schedule = Schedule::standard(400, 2).expect("schedule");
    let mut camera = Camera::new(Scene::new(Difficulty::Dark, 61, 640, 480, 400));
    let mapping = rustle_mapping::decode(&camera.record(&schedule), &schedule);
    let mut sum = [0.0; 2];
    for truth in camera.truth() {
        let place = mapping.fixtures[truth.id as usize].place.expect("found");
        sum = [0, 1].map(|axis| sum[axis] + place.at[axis] - truth.at[axis]);
    }
    assert!(sum.iter().all(|sum| (sum / 400.0).abs() < 0.005), "{sum:?}");
}

#[test]
fn late_and_dropped_frames_are_noticed_by_their_content() {
    let schedule = Schedule::standard(300, 3).expect("schedule");
    for (delay, drops) in [(4.3, 0.0), (0.1, 0.03)] {
        let scene = Scene {
            delay,
            drops,
            ..Scene::new(Difficulty::Club, 71, 640, 480, 300)
        };
        let (_, verdict) = recorded(scene, &schedule);
        assert_eq!((verdict.found, verdict.wrong), (300, 0), "{verdict:?}");
    }
}

/// A camera's frames while the lamps show nothing, or what they showed last.
fn more(camera: &mut Camera, count: usize, light: &Light) -> Vec<Frame> {
    let begin = 1_000_000_000 * 60;
    (0..count as u64)
        .filter_map(|frame| camera.frame(begin + frame * camera.interval_ns(), light))
        .collect()
}

#[test]
fn camera_may_run_long_before_the_schedule_and_after_it() {
    let schedule = Schedule::standard(300, 2).expect("schedule");
    for (before, after) in [(90, 0), (0, 90), (60, 120)] {
        let mut camera = Camera::new(Scene::new(Difficulty::Club, 72, 640, 480, 300));
        let mut frames = more(&mut camera, before, &Light::default());
        frames.extend(camera.record(&schedule));
        frames.extend(more(&mut camera, after, &Light::default()));
        let verdict = judge(&camera.truth(), &rustle_mapping::decode(&frames, &schedule));
        assert_eq!(
            (verdict.found, verdict.wrong),
            (300, 0),
            "{before}, {after}: {verdict:?}"
        );
    }
}

#[test]
fn late_camera_that_ends_with_the_schedule_lacks_its_last_states() {
    let schedule = Schedule::standard(300, 2).expect("schedule");
    for (delay, found) in [(2.0, 300..=300), (4.0, 212..=212), (6.0, 212..=212)] {
        let scene = Scene {
            delay,
            ..Scene::new(Difficulty::Club, 73, 640, 480, 300)
        };
        let mut camera = Camera::new(scene);
        let mut frames = camera.record(&schedule);
        frames.truncate(schedule.frames());
        let mapping = rustle_mapping::decode(&frames, &schedule);
        let verdict = judge(&camera.truth(), &mapping);
        // Without its last bit, of two ids that differ in that alone nobody knows which is where.
        assert!(
            found.contains(&verdict.found) && verdict.wrong == 0,
            "{delay}: {verdict:?}"
        );
        let others = mapping.fixtures.iter().filter_map(|found| found.place.err());
        assert!(others.into_iter().all(|reason| reason == Reason::Ambiguous));
    }
}

/// A recording in the dark, with so many dark frames before and after it, without some of the schedule's frames.
fn damaged(
    schedule: &Schedule,
    seed: u64,
    before: usize,
    after: usize,
    is_lost: impl Fn(usize) -> bool,
) -> (Mapping, Verdict, usize) {
    let scene = Scene {
        delay: 0.0,
        ..Scene::new(Difficulty::Dark, seed, 320, 240, schedule.count())
    };
    let mut camera = Camera::new(scene);
    let mut frames = more(&mut camera, before, &Light::default());
    let shown = camera.record(schedule).into_iter().enumerate();
    frames.extend(
        shown
            .filter(|(frame, _)| !is_lost(*frame))
            .map(|(_, frame)| frame),
    );
    frames.extend(more(&mut camera, after, &Light::default()));
    let mapping = rustle_mapping::decode(&frames, schedule);
    let truth = camera.truth();
    let mut sure = mapping.clone();
    sure.fixtures.retain(|found| found.is_sure());
    let (verdict, sure) = (judge(&truth, &mapping), judge(&truth, &sure).wrong);
    (mapping, verdict, sure)
}

#[test]
fn state_that_is_lost_turns_no_lamp() {
    // What is left of its pair was taken for its complement, and every lamp for its neighbour.
    for (count, before, after) in [(16, 0, 0), (60, 0, 0), (60, 4, 5), (120, 0, 0)] {
        let schedule = Schedule::standard(count, 2).expect("schedule");
        let states = schedule.states().len();
        for state in 0..states {
            let (_, verdict, sure) = damaged(&schedule, 1, before, after, |frame| frame / 2 == state);
            assert_eq!(sure, 0, "{count}, {state}: {verdict:?}");
            // Where each code is an id's, a recording that ends before the last state shows the same as one without the last but one.
            let is_alike = count == 16 && state + 2 == states;
            assert!(verdict.wrong == 0 || is_alike, "{count}, {state}: {verdict:?}");
        }
    }
}

#[test]
fn recordings_that_end_within_the_last_state_are_decoded_and_alike_ones_are_not_sure() {
    for (count, is_sure) in [(16, false), (60, true), (120, true)] {
        let schedule = Schedule::standard(count, 2).expect("schedule");
        let frames = schedule.frames();
        for (before, lost) in [(0, 2), (0, 3), (1, 2)] {
            let (mapping, verdict, _) = damaged(&schedule, 2, before, 0, |frame| frame + lost >= frames);
            assert_eq!(
                (verdict.found, verdict.wrong),
                (count, 0),
                "{count}, {before}, {lost}"
            );
            let sure = mapping.fixtures.iter().filter(|found| found.is_sure()).count();
            assert_eq!(sure == count, is_sure, "{count}, {before}, {lost}: {sure}");
        }
    }
}

#[test]
fn recordings_that_begin_too_late_have_no_sure_places_that_are_wrong() {
    for count in [16, 60] {
        for schedule in [Schedule::standard(count, 2), Schedule::checked(count, 2)] {
            let schedule = schedule.expect("schedule");
            for (missing, after) in [(2, 0), (3, 7), (4, 0), (4, 7), (6, 0), (8, 0)] {
                let (_, verdict, sure) = damaged(&schedule, 3, 0, after, |frame| frame < missing);
                assert_eq!(sure, 0, "{count}, {missing}, {after}: {verdict:?}");
                // With one frame of the light of all, all are found.
                if missing <= 3 {
                    assert_eq!((verdict.found, verdict.wrong), (count, 0), "{count}, {missing}");
                }
            }
        }
    }
}

#[test]
fn frames_lost_in_a_row_leave_no_sure_places_that_are_wrong() {
    for schedule in [Schedule::standard(60, 2), Schedule::checked(60, 2)] {
        let schedule = schedule.expect("schedule");
        for (first, count) in [(6, 3), (8, 4), (9, 5), (7, 6), (14, 4)] {
            let is_lost = |frame| (first..first + count).contains(&frame);
            let (_, verdict, sure) = damaged(&schedule, 4, 0, 0, is_lost);
            assert_eq!(sure, 0, "{first}, {count}: {verdict:?}");
        }
    }
}

#[test]
fn fixtures_that_a_schedule_does_not_distinguish_are_not_dark() {
    let json = br#"{"v":1,"states":["bit 0"],"hold":4}"#;
    let schedule = Schedule::read(json, 24).expect("schedule");
    let (mapping, _) = recorded(Scene::new(Difficulty::Dark, 5, 160, 120, 24), &schedule);
    let reasons: Vec<_> = mapping.fixtures.iter().map(|found| found.place.err()).collect();
    assert_eq!(reasons, [Some(Reason::Ambiguous); 24]);
}

#[test]
fn lamps_beside_a_dead_universe_are_found() {
    // Of some bits all lamps that are left have one value, and the brightest places are not all lamps.
    for (alive, count) in [(4, 12), (8, 16), (24, 60), (64, 100), (100, 300)] {
        for schedule in [Schedule::standard(count, 2), Schedule::checked(count, 2)] {
            let schedule = schedule.expect("schedule");
            let scene = Scene::new(Difficulty::Dark, 2, 640, 480, alive);
            let (_, verdict) = recorded(scene, &schedule);
            assert_eq!((verdict.found, verdict.wrong), (alive, 0), "{count}: {verdict:?}");
        }
    }
}

#[test]
fn fixtures_whose_states_are_missing_are_ambiguous() {
    // With the first two of six bits, each code is that of sixteen fixtures.
    let schedule = Schedule::standard(64, 2).expect("schedule");
    let mut camera = Camera::new(Scene::new(Difficulty::Club, 75, 640, 480, 64));
    let mut frames = camera.record(&schedule);
    frames.truncate(12);
    let mapping = rustle_mapping::decode(&frames, &schedule);
    let others: Vec<_> = mapping.fixtures.iter().map(|found| found.place.err()).collect();
    assert_eq!(others, [Some(Reason::Ambiguous); 64]);
}

#[test]
fn ambient_light_that_changes_covers_no_lamp() {
    let schedule = Schedule::standard(500, 2).expect("schedule");
    let mut camera = Camera::new(Scene::new(Difficulty::Club, 74, 640, 480, 500));
    let mut frames = camera.record(&schedule);
    let count = frames.len() as f32;
    for (index, frame) in frames.iter_mut().enumerate() {
        let more = (8_000.0 * (1.0 + f32::sin(9.0 * index as f32 / count))) as u16;
        for pixel in &mut frame.pixels {
            *pixel = pixel.saturating_add(more);
        }
    }
    let verdict = judge(&camera.truth(), &rustle_mapping::decode(&frames, &schedule));
    assert_eq!((verdict.found, verdict.wrong), (500, 0), "{verdict:?}");
}

#[test]
fn few_fixtures_are_found_among_many_people() {
    let schedule = Schedule::standard(10, 2).expect("schedule");
    let (mut alive, mut found) = (0, 0);
    for seed in 201..211 {
        let scene = Scene {
            people: 4,
            ..Scene::new(Difficulty::Hard, seed, 640, 480, 10)
        };
        let (_, verdict) = recorded(scene, &schedule);
        assert_eq!(verdict.wrong, 0, "{seed}: {verdict:?}");
        (alive, found) = (alive + verdict.alive, found + verdict.found);
    }
    assert!(found as f64 >= 0.65 * alive as f64, "{found} of {alive}");
}

#[test]
fn original_app_aborts_at_the_first_dark_lamp() {
    for schedule in [Schedule::sequential(24, 2), Schedule::standard(24, 2)] {
        let scene = Scene {
            dead: 0.2,
            ..Scene::new(Difficulty::Club, 81, 320, 240, 24)
        };
        let (mapping, verdict) = recorded(scene, &schedule.expect("schedule"));
        assert!(
            verdict.alive < 24 && verdict.found == verdict.alive && verdict.wrong == 0,
            "{verdict:?}"
        );
        assert_eq!(mapping.fixtures.len(), 24);
        let missing = mapping.fixtures.iter().filter_map(|found| found.place.err());
        assert!(
            missing
                .clone()
                .all(|reason| matches!(reason, Reason::Dark | Reason::LowContrast)),
            "{:?}",
            missing.collect::<Vec<_>>()
        );
    }
}

#[test]
fn one_after_the_other_loses_what_is_covered_and_nothing_is_wrong() {
    let schedule = Schedule::sequential(24, 2).expect("schedule");
    let (mut alive, mut found, mut medians) = (0, 0, 0.0);
    for seed in 141..149 {
        let (mapping, verdict) = recorded(Scene::new(Difficulty::Hard, seed, 320, 240, 24), &schedule);
        assert_eq!(
            (mapping.fixtures.len(), verdict.wrong),
            (24, 0),
            "{seed}: {verdict:?}"
        );
        alive += verdict.alive;
        found += verdict.found;
        medians += verdict.median;
    }
    assert!(found as f64 >= 0.85 * alive as f64, "{found} of {alive}");
    assert!(medians / 8.0 <= 0.11, "{medians}");
}

#[test]
fn one_after_the_other_has_no_end_by_the_memory_of_its_frames() {
    // 1.1 GB of frames.
    const SIDE: u32 = 1_024;
    let schedule = Schedule::sequential(33, 8).expect("schedule");
    let place = |id: u32| (20 + id as usize * 30, 1_000 - id as usize * 20);
    let mut decoder = Decoder::new(schedule.clone());
    for frame in 0..schedule.frames() {
        let mut pixels = vec![0; (SIDE * SIDE) as usize];
        if let State::Ids(ids) = &schedule.states()[frame / schedule.hold()] {
            let (x, y) = place(ids[0]);
            for at in [0, 1, 2].map(|row| (y - 1 + row) * SIDE as usize + x) {
                pixels[at - 1..=at + 1].fill(30_000);
            }
        }
        decoder.push(Frame {
            width: SIDE,
            height: SIDE,
            pixels,
        });
    }
    assert_eq!((decoder.left_out(), decoder.frames()), (0, schedule.frames()));
    for found in decoder.mapping().fixtures {
        let (x, y) = place(found.id);
        let [dx, dy] = found.place.expect("place").at;
        assert!((dx - x as f64).hypot(dy - y as f64) < 0.1, "{found:?}");
    }
}

#[test]
fn black_part_of_a_picture_says_nothing_of_the_noise_of_the_rest() {
    let schedule = Schedule::standard(1_000, 2).expect("schedule");
    let mut camera = Camera::new(Scene::new(Difficulty::Club, 97, 640, 480, 1_000));
    let mut frames = camera.record(&schedule);
    for frame in &mut frames {
        for (place, pixel) in frame.pixels.iter_mut().enumerate() {
            if place % 640 >= 320 || place >= 240 * 640 {
                *pixel = 0;
            }
        }
    }
    let mapping = rustle_mapping::decode(&frames, &schedule);
    let ambiguous = mapping
        .fixtures
        .iter()
        .filter(|found| found.place.err() == Some(Reason::Ambiguous));
    let (found, ambiguous) = (mapping.found(), ambiguous.count());
    assert!(
        found > 240 && ambiguous < 100,
        "{found} found, {ambiguous} ambiguous"
    );
}

#[test]
fn large_pictures_are_reduced_and_places_stay_those_of_the_source() {
    let schedule = Schedule::standard(60, 2).expect("schedule");
    let scene = Scene {
        blur: 3.0,
        ..Scene::new(Difficulty::Dark, 91, 2_400, 1_000, 60)
    };
    let (mapping, verdict) = recorded(scene, &schedule);
    assert_eq!((mapping.width, mapping.height), (2_400, 1_000));
    assert_eq!((verdict.found, verdict.wrong), (60, 0), "{verdict:?}");
    assert!(verdict.median < 0.1, "{verdict:?}");
}

#[test]
fn pictures_without_fixtures_have_none() {
    let schedule = Schedule::standard(8, 2).expect("schedule");
    let black = Frame {
        width: 2,
        height: 2,
        pixels: vec![0; 4],
    };
    for frames in [0, 1, 20] {
        let mapping = rustle_mapping::decode(&vec![black.clone(); frames], &schedule);
        assert_eq!((mapping.fixtures.len(), mapping.found()), (8, 0));
    }
}

#[test]
fn schedule_without_complements_is_decoded() {
    let json = br#"{"v":1,"states":["dark","all","bit 0","bit 1","bit 2","bit 3","bit 4"],"hold":2}"#;
    let schedule = Schedule::read(json, 20).expect("schedule");
    let (_, verdict) = recorded(Scene::new(Difficulty::Club, 95, 320, 240, 20), &schedule);
    assert_eq!((verdict.found, verdict.wrong), (20, 0), "{verdict:?}");
}

#[test]
fn dead_fixtures_of_hard_venues_are_mostly_dark() {
    let schedule = Schedule::checked(300, 2).expect("schedule");
    let (mut dead, mut dark) = (0, 0);
    for seed in 501..504 {
        let scene = Scene {
            dead: 0.1,
            ..Scene::new(Difficulty::Hard, seed, 640, 480, 300)
        };
        let truth = Camera::new(scene.clone()).truth();
        let (mapping, verdict) = recorded(scene, &schedule);
        assert_eq!(verdict.ghosts, 0, "{verdict:?}");
        for (truth, found) in truth.iter().zip(&mapping.fixtures) {
            dead += usize::from(!truth.is_alive);
            dark += usize::from(!truth.is_alive && found.place.err() == Some(Reason::Dark));
        }
    }
    assert!(dead > 60 && dark * 10 >= dead * 6, "{dark} of {dead}");
}

#[test]
fn a_truth_of_another_picture_judges_no_result() {
    let schedule = Schedule::standard(20, 2).expect("schedule");
    let (mapping, verdict) = recorded(Scene::new(Difficulty::Dark, 97, 320, 240, 20), &schedule);
    let truth = |count, width| {
        let scene = Scene::new(Difficulty::Dark, 97, 320, 240, count);
        judged(
            truth_json(&Camera::new(scene).truth(), width, 240).as_bytes(),
            &mapping,
        )
    };
    assert_eq!(truth(20, 320).map(|judged| judged.found), Ok(verdict.found));
    assert_eq!(
        truth(20, 640).expect_err("another size"),
        "found: expected 640x240 pixels, the size of the truth, got 320x240"
    );
    assert_eq!(
        truth(21, 320).expect_err("another rig"),
        "found: expected fixture 20, which the truth has, got 20 fixtures"
    );
    assert!(judged(b"{\"fixtures\":[]}", &mapping).is_ok());
}

#[test]
fn results_and_truths_are_read_as_they_are_written() {
    let schedule = Schedule::standard(40, 2).expect("schedule");
    let scene = Scene {
        dead: 0.2,
        ..Scene::new(Difficulty::Club, 96, 320, 240, 40)
    };
    let truth = Camera::new(scene.clone()).truth();
    let read = read_truth(truth_json(&truth, 320, 240).as_bytes()).expect("truth");
    assert_eq!(read.size, Some([320, 240]));
    let read = read.fixtures;
    for (read, truth) in read.iter().zip(&truth) {
        assert_eq!((read.id, read.is_alive), (truth.id, truth.is_alive));
        assert!(
            read.at
                .iter()
                .zip(truth.at)
                .all(|(read, at)| (read - at).abs() < 1e-9)
        );
    }
    assert_eq!(read.len(), 40);
    let (mapping, verdict) = recorded(scene, &schedule);
    let read = Mapping::read(mapping.to_json().as_bytes()).expect("result");
    assert_eq!((read.found(), read.fixtures.len()), (mapping.found(), 40));
    let again = judge(&truth, &read);
    assert_eq!(
        (again.found, again.wrong, again.ghosts),
        (verdict.found, verdict.wrong, verdict.ghosts)
    );
    for (json, expected) in [
        ("", "JSON"),
        ("{}", "v: expected 1"),
        (r#"{"v":1,"width":1,"height":1}"#, "fixtures"),
        (
            r#"{"v":1,"width":1,"height":1,"fixtures":[{"id":1,"found":false,"reason":"dark"}]}"#,
            "fixtures[0].id",
        ),
        (
            r#"{"v":1,"width":1,"height":1,"fixtures":[{"id":0,"found":false,"reason":"dark"},{"id":0,"found":false,"reason":"dark"}]}"#,
            "fixtures[1].id: expected each once, got 0",
        ),
        (
            r#"{"v":1,"width":1,"height":1,"fixtures":[{"id":0,"found":false,"reason":"lazy"}]}"#,
            "fixtures[0].reason",
        ),
        (
            r#"{"v":1,"width":1,"height":1,"fixtures":[{"id":0,"found":true,"x":1}]}"#,
            "fixtures[0].y",
        ),
        (
            r#"{"v":1,"width":1,"height":1,"fixtures":[{"id":0,"found":true,"x":1,"y":-1e308}]}"#,
            "fixtures[0].y: expected -1000000 to 1000000",
        ),
    ] {
        let error = Mapping::read(json.as_bytes()).expect_err(json);
        assert!(error.contains(expected), "{json}: {error}");
    }
}
