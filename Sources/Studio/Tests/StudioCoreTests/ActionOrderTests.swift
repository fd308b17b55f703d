import StudioCore
import Testing

@Suite struct ActionOrderTests {
  @Test func whatDarkensWaitsForNone() {
    var order = ActionOrder()
    #expect(order.enter(.blackout).overtakes && order.enter(.disarm).overtakes)
    for kind in [ActionOrder.Kind.other, .restore, .arm, .stop] {
      let place = order.enter(kind)
      #expect(!place.overtakes && place.disarms == (kind == .stop))
    }
  }

  @Test(arguments: [(ActionOrder.Kind.restore, ActionOrder.Kind.blackout), (.arm, .disarm), (.arm, .stop)])
  func whatDarkensTakesBackWhatCameBefore(lights: ActionOrder.Kind, darkens: ActionOrder.Kind) {
    var order = ActionOrder()
    _ = order.enter(darkens)
    let (before, other) = (order.enter(lights), order.enter(.other))
    #expect(!order.isTakenBack(before))
    let place = order.enter(darkens)
    let after = order.enter(lights)
    #expect(order.isTakenBack(before))
    for each in [other, place, after] { #expect(!order.isTakenBack(each)) }
  }

  /// A show that is armed in the dark stays dark; one that is disarmed may be restored.
  @Test func aBlackoutTakesBackNoArmingAndADisarmingNoRestoring() {
    var order = ActionOrder()
    let (arm, restore) = (order.enter(.arm), order.enter(.restore))
    _ = order.enter(.disarm)
    #expect(order.isTakenBack(arm) && !order.isTakenBack(restore))
    let next = order.enter(.arm)
    _ = order.enter(.blackout)
    #expect(order.isTakenBack(restore) && !order.isTakenBack(next))
  }
}
