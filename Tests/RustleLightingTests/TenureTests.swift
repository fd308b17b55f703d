import RustleCore
import TestSupport
import Testing

@testable import RustleLighting

/// A store whose records are kept here, and the node that uses it.
private struct Store {
  var record: LeaseRecord?
  var revision: UInt64 = 0
  var isThere = true

  /// Does what a tenure asks for, and returns it.
  @discardableResult
  mutating func serve(
    _ tenure: inout Tenure, wants: Bool, replaces: Bool = false, at milliseconds: Int
  ) -> Tenure.Action? {
    let now = Duration.milliseconds(milliseconds)
    let action = tenure.action(wants: wants, replaces: replaces, at: now)
    switch action {
    case .read where isThere: tenure.read(record, at: now)
    case .write(let holder, let last) where isThere && last == (record?.revision ?? 0):
      revision += 1
      record = LeaseRecord(holder.description, revision: revision)
      tenure.wrote(revision, at: now)
    case nil: break
    default: tenure.failed(at: now)
    }
    return action
  }

  /// The record's time to live is over.
  mutating func expire() { record = nil }
}

@Suite(.releasesNativeObjects) struct TenureTests {
  private static let show = "aa"
  private static let left = LeaseHolder(node: "left", instance: 5, show: show)
  private static let right = LeaseHolder(node: "right", instance: 6, show: show)

  private static func ms(_ count: Int) -> Duration { .milliseconds(count) }
  private static func beat(of instance: UInt64, token: UInt64 = 0, show: String = show) -> Heartbeat {
    Heartbeat(node: "left", epoch: instance, number: 1, show: show, token: token)
  }

  @Test func recordIsReadAsItIsWritten() {
    let holder = LeaseHolder(node: "left", instance: .max, token: 7, show: "aa")
    #expect(LeaseHolder(holder.description, revision: 9) == holder)
    #expect(LeaseHolder(Self.left.description, revision: 9)?.token == 9)
    for text in ["", "left", "left 1 2", "left 1 2 aa b", "left -1 2 aa", "left 1 x aa"] {
      #expect(LeaseHolder(text, revision: 1) == nil, "\(text)")
    }
  }

  @Test func anOwnerHoldsTheLeaseAsLongAsItIsWritten() {
    var (store, owner) = (Store(), Tenure(Self.left, of: "left"))
    #expect(owner.status(at: .zero) == .unknown)
    #expect(store.serve(&owner, wants: true, at: 0) == .read && owner.status(at: .zero) == .free)
    #expect(store.serve(&owner, wants: true, at: 10) == .write(Self.left, replacing: 0))
    #expect(owner.status(at: Self.ms(10)) == .held && owner.token(at: Self.ms(10)) == 1)
    #expect(store.serve(&owner, wants: true, at: 500) == nil)
    // Every sixth of the time to live, with the token of the beginning.
    store.serve(&owner, wants: true, at: 520)
    #expect(store.record?.text == "left 5 1 aa" && store.record?.revision == 2 && owner.token(at: Self.ms(520)) == 1)
    store.isThere = false
    for time in stride(from: 1_040, through: 2_500, by: 20) { store.serve(&owner, wants: true, at: time) }
    #expect(owner.status(at: Self.ms(2_519)) == .held, "two thirds of 3 s from the last write that was answered on")
    #expect(owner.status(at: Self.ms(2_520)) == .unknown && owner.hasFailed && owner.token(at: Self.ms(2_520)) == 0)
    // The store is back with the record: it is written again.
    store.isThere = true
    for time in [4_000, 4_020] { store.serve(&owner, wants: true, at: time) }
    #expect(owner.status(at: Self.ms(4_020)) == .held && store.record?.revision == 3 && !owner.hasFailed)
  }

  @Test func aStandbyTakesTheLeaseOfASilentOwnerAndHandsItBack() {
    var store = Store()
    var (owner, standby) = (Tenure(Self.left, of: "left"), Tenure(Self.right, of: "left"))
    for time in [0, 10] { store.serve(&owner, wants: true, at: time) }
    #expect(store.serve(&standby, wants: false, replaces: true, at: 20) == .read)
    guard case .other(let holder) = standby.status(at: Self.ms(20)) else {
      Issue.record("expected another holder")
      return
    }
    #expect(holder.node == "left" && holder.instance == 5 && holder.token == 1)
    // The owner is silent.
    #expect(store.serve(&standby, wants: true, replaces: true, at: 400) == .write(Self.right, replacing: 1))
    #expect(standby.status(at: Self.ms(400)) == .held && standby.token(at: Self.ms(400)) == 2)
    // It was only cut off, and learns that it is fenced at its next write.
    #expect(owner.status(at: Self.ms(600)) == .held)
    for time in [600, 610] { store.serve(&owner, wants: true, at: time) }
    guard case .other(let now) = owner.status(at: Self.ms(610)) else {
      Issue.record("expected the owner to be fenced")
      return
    }
    #expect(now.node == "right" && owner.token(at: Self.ms(610)) == 0)
    // An owner takes it from nobody.
    for time in stride(from: 620, to: 2_000, by: 20) { store.serve(&owner, wants: true, at: time) }
    #expect(store.record?.text.hasPrefix("right ") == true)
    store.serve(&standby, wants: true, replaces: true, at: 1_000)
    store.serve(&standby, wants: false, replaces: true, at: 2_000)
    #expect(store.record?.text == "left 0 0 aa" && standby.status(at: Self.ms(2_000)) != .held)
    for time in stride(from: 2_000, to: 2_800, by: 20) { store.serve(&owner, wants: true, at: time) }
    #expect(owner.status(at: Self.ms(2_800)) == .held && owner.token(at: Self.ms(2_800)) > 2)
  }

  @Test func aStandbyWithoutAStoreHoldsNothing() {
    var (store, standby) = (Store(isThere: false), Tenure(Self.right, of: "left"))
    for time in stride(from: 0, to: 5_000, by: 20) { store.serve(&standby, wants: true, replaces: true, at: time) }
    #expect(standby.status(at: Self.ms(5_000)) == .unknown && standby.hasFailed)
  }

  @Test func aSecondProcessOfTheOwnerWaitsForTheFirst() {
    var (store, first) = (Store(), Tenure(Self.left, of: "left"))
    var second = Tenure(LeaseHolder(node: "left", instance: 9, show: "bb"), of: "left")
    for time in [0, 10] { store.serve(&first, wants: true, at: time) }
    for time in stride(from: 20, to: 900, by: 20) { store.serve(&second, wants: true, at: time) }
    guard case .other(let holder) = second.status(at: Self.ms(900)) else {
      Issue.record("expected another holder")
      return
    }
    #expect(holder.instance == 5 && holder.show != second.me.show)
    store.expire()
    for time in stride(from: 900, to: 1_500, by: 20) { store.serve(&second, wants: true, at: time) }
    #expect(second.status(at: Self.ms(1_500)) == .held)
  }

  @Test func ofTwoThatCompeteOneIsRefused() {
    var store = Store()
    var (left, right) = (Tenure(Self.left, of: "left"), Tenure(Self.right, of: "left"))
    store.serve(&left, wants: true, at: 0)
    store.serve(&right, wants: true, replaces: true, at: 0)
    store.serve(&right, wants: true, replaces: true, at: 10)
    #expect(store.serve(&left, wants: true, at: 10) == .write(Self.left, replacing: 0))
    #expect(left.status(at: Self.ms(10)) != .held && right.status(at: Self.ms(10)) == .held)
  }

  @Test func heartbeatsOfAStaleHolderDoNotCount() {
    var (store, standby) = (Store(), Tenure(Self.right, of: "left"))
    #expect(standby.accepts(Self.beat(of: 5), at: .zero), "nothing is known")
    store.revision = 3
    store.record = LeaseRecord("left 5 0 aa", revision: 3)
    store.serve(&standby, wants: false, replaces: true, at: 0)
    #expect(standby.accepts(Self.beat(of: 5, token: 3), at: Self.ms(1)))
    #expect(!standby.accepts(Self.beat(of: 4), at: Self.ms(1)), "another process than the holder")
    store.serve(&standby, wants: true, replaces: true, at: 10)
    #expect(standby.token(at: Self.ms(10)) == 4)
    #expect(!standby.accepts(Self.beat(of: 5, token: 3), at: Self.ms(20)), "its token is older")
    #expect(standby.accepts(Self.beat(of: 5), at: Self.ms(20)), "it knows that it holds the lease no longer")
    #expect(!standby.accepts(Self.beat(of: 5, show: "bb"), at: Self.ms(20)), "it plays another show")
  }
}
