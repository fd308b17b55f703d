//! Where a place of the venue is in a picture.

/// How far the eye is from the front of the venue, in lengths of its longest side: far enough that lines keep their proportions,
/// near enough that the depth can be seen.
const EYE_DISTANCE: f64 = 1.3;
/// The height of the eye, as a share of that of the venue.
const EYE_HEIGHT: f64 = 0.62;
/// The farthest coordinate in metres; what is farther is drawn there.
const FARTHEST: f64 = 1e6;
/// The shortest side that a venue is drawn with in metres.
const SHORTEST: f64 = 1.0;

/// A box along the axes of the venue, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bounds {
    pub(super) low: [f64; 3],
    pub(super) high: [f64; 3],
}

impl Bounds {
    /// The smallest box around points; none around no point.
    pub(super) fn around(points: impl Iterator<Item = [f64; 3]>) -> Option<Self> {
        points.map(finite).fold(None, |bounds: Option<Self>, point| {
            let Self { low, high } = bounds.unwrap_or(Self {
                low: point,
                high: point,
            });
            Some(Self {
                low: std::array::from_fn(|axis| low[axis].min(point[axis])),
                high: std::array::from_fn(|axis| high[axis].max(point[axis])),
            })
        })
    }

    /// The box with each side at least a metre long.
    pub(super) fn with_extent(mut self) -> Self {
        for axis in 0..3 {
            let missing = SHORTEST - (self.high[axis] - self.low[axis]);
            if missing > 0.0 {
                self.low[axis] -= missing / 2.0;
                self.high[axis] += missing / 2.0;
            }
        }
        self
    }

    pub(super) fn extent(&self, axis: usize) -> f64 {
        self.high[axis] - self.low[axis]
    }

    pub(super) fn corners(&self) -> impl Iterator<Item = [f64; 3]> {
        let Self { low, high } = *self;
        (0..8_u8).map(move |corner| {
            std::array::from_fn(|axis| {
                if corner >> axis & 1 == 0 {
                    low[axis]
                } else {
                    high[axis]
                }
            })
        })
    }
}

/// A point with coordinates that are numbers, and not too large to compute with.
pub(super) fn finite(point: [f64; 3]) -> [f64; 3] {
    point.map(|at| {
        if at.is_nan() {
            0.0
        } else {
            at.clamp(-FARTHEST, FARTHEST)
        }
    })
}

/// A projection of the venue to a rectangle of pixels, with its proportions kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Projection {
    /// For the view of the audience, the place of the eye.
    eye: Option<[f64; 3]>,
    /// The distance of the eye from the front, where a metre has `scale` pixels.
    distance: f64,
    front: f64,
    /// Pixels per metre at the front.
    scale: f64,
    /// What is in the middle of the rectangle, and that middle.
    middle: [f64; 2],
    center: [f64; 2],
}

impl Projection {
    /// From above: to the right is to the right, and the back is at the top. `area` is left, top, right and bottom in pixels.
    pub(super) fn top(bounds: &Bounds, area: [f64; 4]) -> Self {
        Self::fitted(None, bounds, area)
    }

    /// As the audience sees it, in perspective.
    pub(super) fn front(bounds: &Bounds, area: [f64; 4]) -> Self {
        let eye = std::array::from_fn(|axis| match axis {
            0 => (bounds.low[0] + bounds.high[0]) / 2.0,
            1 => bounds.low[1],
            _ => bounds.low[2] + EYE_HEIGHT * bounds.extent(2),
        });
        Self::fitted(Some(eye), bounds, area)
    }

    fn fitted(eye: Option<[f64; 3]>, bounds: &Bounds, [left, top, right, bottom]: [f64; 4]) -> Self {
        let longest = (0..3).map(|axis| bounds.extent(axis)).fold(SHORTEST, f64::max);
        let mut projection = Self {
            eye,
            distance: EYE_DISTANCE * longest,
            front: bounds.low[1],
            scale: 1.0,
            middle: [0.0; 2],
            center: [0.0; 2],
        };
        let corners = bounds.corners().map(|corner| {
            let [x, y] = projection.at(corner);
            [x, y, 0.0]
        });
        if let Some(drawn) = Bounds::around(corners) {
            projection.middle = std::array::from_fn(|axis| (drawn.low[axis] + drawn.high[axis]) / 2.0);
            let (width, height) = ((right - left).max(0.0), (bottom - top).max(0.0));
            let least = f64::MIN_POSITIVE;
            projection.scale = (width / drawn.extent(0).max(least)).min(height / drawn.extent(1).max(least));
        }
        projection.center = [(left + right) / 2.0, (top + bottom) / 2.0];
        projection
    }

    /// Pixels per metre at the distance of a place, and at the front for the view from above.
    pub(super) fn scale_at(&self, place: [f64; 3]) -> f64 {
        self.scale * self.nearness(place)
    }

    /// 1 at the front, less behind it; places before the front are drawn there.
    pub(super) fn nearness(&self, place: [f64; 3]) -> f64 {
        match self.eye {
            Some(_) => self.distance / (self.distance + (place[1] - self.front).max(0.0)),
            None => 1.0,
        }
    }

    /// The pixel of a place.
    pub(super) fn at(&self, place: [f64; 3]) -> [f64; 2] {
        let place = finite(place);
        let [right, down] = match self.eye {
            Some(eye) => {
                let nearness = self.nearness(place);
                [(place[0] - eye[0]) * nearness, (eye[2] - place[2]) * nearness]
            }
            None => [place[0], -place[1]],
        };
        [
            (right - self.middle[0]) * self.scale + self.center[0],
            (down - self.middle[1]) * self.scale + self.center[1],
        ]
    }
}
