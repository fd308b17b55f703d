//! Passes the fingerprint from scripts/build to the crate, or a text in its absence.

fn main() {
    println!("cargo:rerun-if-env-changed=RUSTLE_BUILD_ID");
    let id = std::env::var("RUSTLE_BUILD_ID").unwrap_or_else(|_| "unset: built without scripts/build".into());
    println!("cargo:rustc-env=RUSTLE_BUILD_ID={id}");
}
