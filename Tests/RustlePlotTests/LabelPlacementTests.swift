import RustlePlot
import Testing

@Suite struct LabelPlacementTests {
  static let area = PlotRect(x: 0, y: 0, width: 400, height: 200)

  static func request(_ x: Double, _ y: Double) -> LabelPlacement.Request {
    LabelPlacement.Request(anchor: PlotPoint(x: x, y: y), width: 80, height: 16)
  }

  @Test func aLoneLabelIsCentredAboveItsPoint() {
    let placed = LabelPlacement.place([Self.request(200, 100)], in: Self.area, gap: 6)
    #expect(placed == [PlotRect(x: 160, y: 78, width: 80, height: 16)])
  }

  @Test func aLabelAtTheEdgeGoesBesideItsPoint() {
    let top = LabelPlacement.place([Self.request(200, 10)], in: Self.area, gap: 6)
    #expect(top == [PlotRect(x: 206, y: 2, width: 80, height: 16)])
    let right = LabelPlacement.place([Self.request(398, 100)], in: Self.area, gap: 6)
    #expect(right == [PlotRect(x: 312, y: 92, width: 80, height: 16)])
  }

  @Test func noLabelCoversAnotherOrAPointOrTheEdge() {
    let requests = (0..<30).map { (index: Int) -> LabelPlacement.Request in
      let (x, y) = (index * 53 % 400, 40 + index * 37 % 150)
      return Self.request(Double(x), Double(y))
    }
    let placed = LabelPlacement.place(requests, in: Self.area)
    let rects = placed.compactMap { $0 }
    #expect(placed.count == 30)
    #expect(rects.count >= 5)
    #expect(rects.count < 30)
    for (index, rect) in rects.enumerated() {
      #expect(Self.area.contains(rect))
      #expect(!rects[(index + 1)...].contains(where: rect.overlaps))
      for request in requests {
        let point = PlotRect(x: request.anchor.x - 1, y: request.anchor.y - 1, width: 2, height: 2)
        #expect(!rect.overlaps(point))
      }
    }
  }

  @Test func theMostImportantIsPlacedFirst() {
    let placed = LabelPlacement.place([Self.request(100, 100), Self.request(101, 100)], in: Self.area, gap: 6)
    #expect(placed[0] == PlotRect(x: 60, y: 78, width: 80, height: 16))
    #expect(placed[1] != nil)
  }

  @Test func aPlaceOverACurveIsTakenOnlyWhenThereIsNoOther() {
    let curve = PlotRect(x: 150, y: 60, width: 20, height: 140)
    let placed = LabelPlacement.place([Self.request(200, 100)], in: Self.area, avoiding: [curve], gap: 6)
    #expect(placed == [PlotRect(x: 206, y: 92, width: 80, height: 16)])
    let everywhere = LabelPlacement.place([Self.request(200, 100)], in: Self.area, avoiding: [Self.area], gap: 6)
    #expect(everywhere == [PlotRect(x: 160, y: 78, width: 80, height: 16)])
  }
}
