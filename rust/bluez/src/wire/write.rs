//! Writes calls of methods.

/// A call to be written: the low byte first, with as many bytes as it needs.
pub(crate) struct Call<'a> {
    /// The name of the called program.
    pub(crate) destination: &'a str,
    /// The object.
    pub(crate) path: &'a str,
    /// The interface.
    pub(crate) interface: &'a str,
    /// The method.
    pub(crate) method: &'a str,
}

/// The codes of header fields.
const PATH: u8 = 1;
const INTERFACE: u8 = 2;
const MEMBER: u8 = 3;
const DESTINATION: u8 = 6;
const SIGNATURE: u8 = 8;

impl Call<'_> {
    /// The message with this number, not 0, and a body of this signature.
    pub(crate) fn message(&self, serial: u32, signature: &str, body: &Body) -> Vec<u8> {
        // Little, method call, no flags, version 1.
        let mut out = Body(vec![b'l', 1, 0, 1]);
        out.number(body.0.len() as u32);
        out.number(serial);
        out.array(8, |out| {
            for (code, kind, text) in [
                (PATH, "o", self.path),
                (INTERFACE, "s", self.interface),
                (MEMBER, "s", self.method),
                (DESTINATION, "s", self.destination),
            ] {
                out.align(8);
                out.0.push(code);
                out.signature(kind);
                out.text(text);
            }
            if !signature.is_empty() {
                out.align(8);
                out.0.push(SIGNATURE);
                out.signature("g");
                out.signature(signature);
            }
        });
        out.align(8);
        out.0.extend_from_slice(&body.0);
        out.0
    }
}

/// The body of a message that is being written.
#[derive(Default)]
pub(crate) struct Body(pub(crate) Vec<u8>);

impl Body {
    fn align(&mut self, size: usize) {
        self.0.resize(self.0.len().next_multiple_of(size), 0);
    }

    /// `u`
    fn number(&mut self, number: u32) {
        self.align(4);
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// `s` or `o`
    pub(crate) fn text(&mut self, text: &str) {
        self.number(text.len() as u32);
        self.0.extend_from_slice(text.as_bytes());
        self.0.push(0);
    }

    /// `g`
    fn signature(&mut self, text: &str) {
        self.0.push(text.len() as u8);
        self.0.extend_from_slice(text.as_bytes());
        self.0.push(0);
    }

    /// `ay`
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u32);
        self.0.extend_from_slice(bytes);
    }

    /// An array of elements of this alignment, which `fill` writes.
    pub(crate) fn array(&mut self, alignment: usize, fill: impl FnOnce(&mut Self)) {
        self.number(0);
        let length = self.0.len() - 4;
        self.align(alignment);
        let start = self.0.len();
        fill(self);
        let filled = (self.0.len() - start) as u32;
        self.0[length..length + 4].copy_from_slice(&filled.to_le_bytes());
    }

    /// An entry of `a{sv}` whose value `fill` writes.
    pub(crate) fn entry(&mut self, key: &str, signature: &str, fill: impl FnOnce(&mut Self)) {
        self.align(8);
        self.text(key);
        self.signature(signature);
        fill(self);
    }

    /// `b`
    pub(crate) fn truth(&mut self, truth: bool) {
        self.number(truth.into());
    }
}
