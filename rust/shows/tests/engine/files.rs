//! Shows from JSON and back.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustle_shows::fixture::{Profile, Rig, patch_faults};
use rustle_shows::scene::Scene;
use rustle_shows::show::{Demo, MAX_SHOW_BYTES, RigSource, Show};

fn read(json: &str) -> (Show, Vec<String>) {
    let (show, faults) = Show::read(json.as_bytes()).expect("a show");
    (show, faults.iter().map(ToString::to_string).collect())
}

fn layers(layers: &str) -> Vec<String> {
    read(&format!(
        r#"{{"v":1,"faders":["drive"],"scenes":[{{"name":"a","layers":[{layers}]}}]}}"#
    ))
    .1
}

/// Every key, none with its usual value.
const WHOLE: &str = r##"{"v":1,"name":"Club","rig":"club.json","faders":["drive","haze"],"repeats":true,
  "scenes":[{"name":"one","tags":["favourite","dub"],"master":0.3,"layers":[
    {"name":"back row","effect":"strobe","parameters":{"level":0.7,"width":0.2,"share":0.1},"rate":"1/4","fast":true,
     "direction":"out","palette":["#0080ff",[0.1,0.2,1]],"seed":4294967295,"blend":"overlay","opacity":0.35,"enabled":false,
     "fixtures":{"ids":[3,"left"],"groups":["back"]},"touches":["intensity"],"modulators":[
       {"target":"opacity","source":"onset","amount":-0.5,"attack":0.01,"release":1.5},
       {"target":"level","source":"band","band":7,"amount":0.1},
       {"target":"level","source":"fader","fader":"haze","amount":0.2},
       {"target":"level","source":"level","amount":0.3},
       {"target":"level","source":"oscillator","shape":"ramp","rate":{"beats":3},"offset":0.4,"amount":0.4}]},
    {"effect":"circle","rate":{"hertz":0.3}}]},{"name":"two"}],
  "cues":[{"name":"start","scene":"two","fade_in":{"beats":4},"fade_out":{"seconds":2.5},"follow":{"beats":16}},
    {"scene":"one"}]}"##;

#[test]
fn every_key_is_read_and_written() {
    let (show, faults) = read(WHOLE);
    assert_eq!(faults, [] as [&str; 0]);
    assert_eq!(show.rig, Some(RigSource::File("club.json".to_owned())));
    assert_eq!(
        (show.scenes.len(), show.scenes[0].layers.len(), show.cues.len()),
        (2, 2, 2)
    );
    let layer = &show.scenes[0].layers[0];
    assert_eq!(
        (layer.effect.value("width"), layer.opacity(), layer.is_enabled),
        (Some(0.2), 0.35, false)
    );
    assert_eq!(
        layer.effect.palette.colors(),
        [[0.0, 128.0 / 255.0, 1.0], [0.1, 0.2, 1.0]]
    );
    assert_eq!(layer.modulators.len(), 5);
    assert_eq!((show.cues[0].scene, show.cues[1].scene), (1, 0));
    let text = show.to_json();
    let (again, faults) = read(&text);
    assert_eq!(faults, [] as [&str; 0]);
    assert_eq!(again, show);
    assert_eq!(again.to_json(), text);
    assert!(
        text.contains("0.35,") && !text.contains("0.3499"),
        "numbers keep their digits"
    );
}

#[test]
fn demo_shows_are_written_and_read_and_their_rigs_are_whole() {
    for (demo, fixtures, elements) in [
        (Demo::Pars, 8, 8),
        (Demo::Bars, 12, 192),
        (Demo::Heads, 12, 12),
        (Demo::Festival, 100, 460),
        (Demo::Wall, 10_625, 170_000),
    ] {
        let show = demo.show();
        let (again, faults) = read(&show.to_json());
        assert_eq!(faults, [] as [&str; 0]);
        assert_eq!(again, show);
        let rig = show
            .rig
            .expect("a rig")
            .rig(&Profile::built_in())
            .expect("inline");
        let (rig, faults) = rig.expect("a rig");
        assert_eq!(faults, []);
        assert_eq!(patch_faults(&rig, 10), []);
        assert_eq!(
            (
                rig.fixtures.len(),
                rustle_shows::Stage::new(&rig).elements().len()
            ),
            (fixtures, elements)
        );
        assert_eq!(rig, demo.rig());
        assert_eq!(Demo::named(demo.name()), Some(demo));
    }
}

#[test]
fn built_in_scenes_are_six_or_more_without_a_fault() {
    let (show, faults) = read(include_str!("../../src/scene/built_in.json"));
    assert_eq!(faults, [] as [&str; 0]);
    assert_eq!(show.scenes, Scene::built_in());
    assert!(show.scenes.len() >= 6);
    assert!(
        show.scenes
            .iter()
            .all(|scene| !scene.tags.is_empty() && scene.layers.len() >= 2)
    );
    assert!(
        show.scenes
            .iter()
            .any(|scene| scene.tags.iter().any(|tag| tag == "favourite"))
    );
}

#[test]
fn show_and_rig_of_the_tutorial_have_no_fault() {
    let json = include_str!("../../../../docs/tutorial/show.json");
    let (show, faults) = read(json);
    assert_eq!((show.cues.len(), faults), (2, vec![]));
    let rig = include_str!("../../../../docs/tutorial/rig.json");
    let (rig, faults) = Rig::read(rig.as_bytes(), &Profile::built_in()).expect("a rig");
    assert_eq!((faults, show.missing(&rig)), (vec![], vec![]));
    assert_eq!(patch_faults(&rig, 1), []);
    // What the page shows of it is in it.
    let page = include_str!("../../../../docs/lighting.md");
    let (_, rest) = page.split_once("```json\n").expect("a layer");
    let (layer, _) = rest.split_once("\n```").expect("its end");
    assert!(json.contains(layer), "{layer}");
}

#[test]
fn a_text_that_is_no_show_is_refused() {
    let refusal = |json: &[u8]| Show::read(json).expect_err("no show").to_string();
    assert_eq!(refusal(b"7"), "show: expected an object, got 7");
    assert_eq!(refusal(br#"{"scenes":[]}"#), "v: expected 1, got nothing");
    assert_eq!(refusal(br#"{"v":2,"scenes":[]}"#), "v: expected 1, got 2");
    assert_eq!(
        refusal(br#"{"v":1,"scenes":{}}"#),
        "scenes: expected an array of at most 1024 scenes, got an object"
    );
    assert!(refusal(b"{").starts_with("show: expected JSON, got EOF"));
    assert!(refusal(&b"[".repeat(100_000)).starts_with("show: expected JSON, got recursion limit"));
    assert_eq!(
        refusal(&vec![b' '; MAX_SHOW_BYTES + 1]),
        "show: expected at most 67108864 bytes, got 67108865"
    );
}

#[test]
fn all_faults_of_a_show_are_found_at_once_with_their_paths() {
    let (show, faults) = read(
        r#"{"v":1,"nmae":"x","rig":7,"faders":["a",""],"repeats":1,"scenes":[
          {"name":"one","master":1.5,"layers":[]},
          {"name":"two","tags":"no","layers":[{"effect":"wave"}]},
          {"name":"two"},
          5],
          "cues":[{"scene":"three"},{"scene":"two","fade_in":4},{"scene":"two","fade_in":{"beats":1,"seconds":1}},
            {"scene":"two","follow":{"seconds":-1},"go":true}]}"#,
    );
    let span = "expected {\"beats\":number} or {\"seconds\":number} of 0 to 100000";
    assert_eq!(
        faults,
        [
            "show: expected v, name, rig, faders, scenes, cues, repeats, got the key \"nmae\"",
            "repeats: expected true or false, got 1",
            "rig: expected an object, or the name of a file, got 7",
            "faders: expected an array of at most 64 texts of 1 to 64 bytes, got an array of 2",
            "scenes[0].master: expected 0 to 1, got 1.5",
            "scenes[1].tags: expected an array of at most 64 texts of 1 to 64 bytes, got \"no\"",
            "scenes[2].name: expected a name of its own, got \"two\"",
            "scenes[3]: expected an object, got 5",
            "cues[0].scene: expected the name of a scene, got \"three\"",
            &format!("cues[1].fade_in: {span}, got 4"),
            &format!("cues[2].fade_in: {span}, got an object"),
            "cues[3]: expected name, scene, fade_in, fade_out, follow, got the key \"go\"",
            &format!("cues[3].follow: {span}, got an object"),
        ]
    );
    assert_eq!(
        (show.scenes.len(), show.cues.len()),
        (1, 0),
        "what is whole is read"
    );
}

#[test]
fn fault_of_a_scene_is_none_of_the_cues_that_name_it() {
    let (show, faults) = read(
        r#"{"v":1,"scenes":[{"name":"a","master":2},{"name":"b"},{"name":"a"}],
            "cues":[{"scene":"a"},{"scene":"b"},{"scene":"c"}]}"#,
    );
    assert_eq!(
        faults,
        [
            "scenes[0].master: expected 0 to 1, got 2",
            "scenes[2].name: expected a name of its own, got \"a\"",
            "cues[2].scene: expected the name of a scene, got \"c\""
        ]
    );
    assert_eq!(
        (show.scenes.len(), show.cues.len(), show.cues[0].scene),
        (1, 1, 0)
    );
}

#[test]
fn all_faults_of_a_layer_are_found_at_once_with_their_paths() {
    let faults = layers(
        r##"{"effect":"laser"},
          {"effect":"wave","parameters":{"depth":2,"width":1},"rate":"3 bars","direction":"north",
           "palette":["#ff0000","#12345",[0,0.5,1.5]],
           "seed":-1,"blend":"add","opacity":1.5,"enabled":"yes","fixtures":"some","touches":["position"],"modulators":[
             {"target":"rate","source":"onset","amount":1},
             {"target":"level","source":"fader","fader":"mood","amount":0.1},
             {"target":"level","source":"band","amount":0.1},
             {"target":"level","source":"oscillator","shape":"saw","rate":{"beats":0},"amount":0.1},
             {"target":"level","source":"noise"}]},
          {"effect":"strobe","rate":"1/4"},
          {"effect":"solid","fixtures":{"id":[1]},"fast":0},
          {"effect":"wave","palette":[],"rate":{"hertz":26}},
          {"effect":"wave","palette":"red","rate":{"beats":1,"hertz":1}}"##,
    );
    let effects = "solid, gradient, rainbow, strobe, chase, wave, pulse, noise, burst, circle, figure, random, follow, gobo-rotate, gobo-beat";
    let rates =
        "1/16, 1/8, 1/4, 1/2, 1 bar, 2 bars, 4 bars, 8 bars, {\"beats\":1 to 128} or {\"hertz\":0.001 to 25}";
    let expected = [
        format!("[0].effect: expected {effects}, got \"laser\""),
        "[1].parameters: expected level, repeat, depth, got the key \"width\"".to_owned(),
        "[1].parameters.depth: expected 0 to 1, got 2".to_owned(),
        format!("[1].rate: expected {rates}, got \"3 bars\""),
        "[1].direction: expected right, left, back, front, up, down, out, in, order, reverse, got \"north\""
            .to_owned(),
        "[1].seed: expected 0 to 4294967295, got -1".to_owned(),
        "[1].palette[1]: expected \"#rrggbb\" or [red, green, blue] of 0 to 1, got \"#12345\"".to_owned(),
        "[1].palette[2]: expected \"#rrggbb\" or [red, green, blue] of 0 to 1, got [0,0.5,1.5]".to_owned(),
        "[1].blend: expected normal, additive, multiply, screen, overlay, got \"add\"".to_owned(),
        "[1].enabled: expected true or false, got \"yes\"".to_owned(),
        "[1].opacity: expected 0 to 1, got 1.5".to_owned(),
        "[1].fixtures: expected \"all\", or an object of ids and groups, got \"some\"".to_owned(),
        "[1].touches: expected one or more of intensity, color, got position".to_owned(),
        "[1].modulators[0].target: expected opacity, level, repeat, depth, got \"rate\"".to_owned(),
        "[1].modulators[1].fader: expected the name of a fader, got \"mood\"".to_owned(),
        "[1].modulators[2].band: expected 0 to 7, got nothing".to_owned(),
        "[1].modulators[3].shape: expected sine, triangle, ramp, square, random, got \"saw\"".to_owned(),
        "[1].modulators[3].rate.beats: expected 1 to 128, got 0".to_owned(),
        "[1].modulators[4].source: expected onset, level, band, fader, oscillator, got \"noise\"".to_owned(),
        "[1].modulators[4].amount: expected a number, got nothing".to_owned(),
        "[2].rate: expected at most 3 flashes a second at any tempo, or fast, got 1/4".to_owned(),
        "[3].fast: expected true or false, got 0".to_owned(),
        "[3].fixtures: expected ids, groups, got the key \"id\"".to_owned(),
        "[4].rate.hertz: expected 0.001 to 25, got 26".to_owned(),
        "[4].palette: expected an array of 1 to 8 colors, got an array of 0".to_owned(),
        format!("[5].rate: expected {rates}, got an object"),
        "[5].palette: expected an array of 1 to 8 colors, got \"red\"".to_owned(),
    ];
    assert_eq!(faults, expected.map(|fault| format!("scenes[0].layers{fault}")));
}

#[test]
fn selected_fixtures_that_a_rig_does_not_have_are_named() {
    let (show, _) = read(WHOLE);
    let missing: Vec<_> = show
        .missing(&Demo::Heads.rig())
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        missing,
        ["scenes[0].layers[0].fixtures.ids: expected an id of the rig, got \"left\""]
    );
}

/// No change of a few bytes makes the reader panic; what it still reads can be written and read again.
#[test]
fn mutated_shows_are_read_or_refused() {
    let mut random = ChaCha8Rng::seed_from_u64(23);
    let words = [
        "null",
        "-1",
        "1e39",
        "\"\"",
        "{}",
        "[]",
        "true",
        "4294967296",
        "NaN",
        ",",
        "\"beats\"",
    ];
    let mut good = 0;
    for _ in 0..4_000 {
        let mut text = WHOLE.as_bytes().to_vec();
        for _ in 0..random.gen_range(1..4) {
            let place = random.gen_range(0..text.len());
            let end = (place + random.gen_range(0..6)).min(text.len());
            let word = words[random.gen_range(0..words.len())];
            if random.gen_bool(0.5) {
                text.splice(place..end, word.bytes());
            } else {
                text[place] = random.gen_range(32..127);
            }
        }
        if let Ok((show, _)) = Show::read(&text) {
            good += 1;
            let (again, faults) = read(&show.to_json());
            assert_eq!(faults, [] as [&str; 0]);
            assert_eq!(again, show);
        }
    }
    assert!(good > 100, "{good}");
}
