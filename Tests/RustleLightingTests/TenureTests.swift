import RustleCore
import TestSupport
import Testing

@testable import RustleLighting

/// A store whose records are kept here, and the node that uses it.
private struct Store {
  var record: LeaseRecord?
  var revision: UInt64 = 0
  var isThere = true
  /// Whether writes are refused.
  var isReadOnly = false
  var reads = 0
  var writes = 0

  /// Does what a tenure asks for, and returns it.
  @discardableResult
  mutating func serve(
    _ tenure: inout Tenure, wants: Bool, replaces: Bool = false, at milliseconds: Int
  ) -> Tenure.Action? {
    let now = Duration.milliseconds(milliseconds)
    let action = tenure.action(wants: wants, replaces: replaces, at: now)
    switch action {
    case .read: reads += 1
    case .write: writes += 1
    case nil: break
    }
    switch action {
    case .read where isThere: tenure.read(record, at: now)
    case .write(let holder, let last) where isThere && !isReadOnly && last == (record?.revision ?? 0):
      revision += 1
      record = LeaseRecord(holder.description, revision: revision)
      tenure.wrote(revision, at: now)
    case nil: break
    default: tenure.failed("no", at: now)
    }
    return action
  }

  /// A holder ends in order.
  @discardableResult
  mutating func release(_ tenure: inout Tenure, at milliseconds: Int) -> Tenure.Action? {
    let action = tenure.release(at: .milliseconds(milliseconds))
    if case .write(let holder, let last)? = action, last == record?.revision {
      revision += 1
      record = LeaseRecord(holder.description, revision: revision)
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

  private static func tenure(_ me: LeaseHolder) -> Tenure { Tenure(me, of: "left", standby: "right") }
  private static func ms(_ count: Int) -> Duration { .milliseconds(count) }
  private static func beat(of instance: UInt64, token: UInt64 = 0, show: String = show) -> Heartbeat {
    Heartbeat(node: "left", epoch: instance, number: 1, sent: 1, show: show, token: token)
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
    var (store, owner) = (Store(), Self.tenure(Self.left))
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
    #expect(
      owner.status(at: Self.ms(2_520)) == .unknown && owner.failure != nil && owner.token(at: Self.ms(2_520)) == 0)
    // The store is back with the record: it is written again.
    store.isThere = true
    for time in [4_000, 4_020] { store.serve(&owner, wants: true, at: time) }
    #expect(owner.status(at: Self.ms(4_020)) == .held && store.record?.revision == 3 && owner.failure == nil)
  }

  @Test func aStandbyTakesTheLeaseOfASilentOwnerAndHandsItBack() {
    var store = Store()
    var (owner, standby) = (Self.tenure(Self.left), Self.tenure(Self.right))
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
    var (store, standby) = (Store(isThere: false), Self.tenure(Self.right))
    for time in stride(from: 0, to: 5_000, by: 20) { store.serve(&standby, wants: true, replaces: true, at: time) }
    #expect(standby.status(at: Self.ms(5_000)) == .unknown)
    #expect(
      standby.lack(at: Self.ms(3_000)) == nil && standby.lack(at: Self.ms(3_001)) == "the lease cannot be read: no")
  }

  @Test func aProcessTakesTheLeaseOfItsNodesProcessBefore() {
    var (store, first) = (Store(), Self.tenure(Self.left))
    var second = Self.tenure(LeaseHolder(node: "left", instance: 9, show: "bb"))
    for time in [0, 10] { store.serve(&first, wants: true, at: time) }
    store.serve(&second, wants: true, at: 20)
    #expect(second.status(at: Self.ms(20)) == .free, "it is not fenced by who is gone")
    store.serve(&second, wants: true, at: 30)
    #expect(second.status(at: Self.ms(30)) == .held && second.token(at: Self.ms(30)) == 2)
    // One of before, or whose clock was set back, waits.
    for time in stride(from: 600, to: 1_500, by: 20) { store.serve(&first, wants: true, at: time) }
    guard case .other(let holder) = first.status(at: Self.ms(1_500)) else {
      Issue.record("expected another holder")
      return
    }
    #expect(holder.instance == 9)
    store.expire()
    for time in stride(from: 1_500, to: 2_100, by: 20) { store.serve(&first, wants: true, at: time) }
    #expect(first.status(at: Self.ms(2_100)) == .held)
  }

  @Test func aStandbyTakesTheLeaseOfItsProcessBefore() {
    var (store, first) = (Store(), Self.tenure(Self.right))
    for time in [0, 10] { store.serve(&first, wants: true, replaces: true, at: time) }
    var second = Self.tenure(LeaseHolder(node: "right", instance: 7, show: Self.show))
    for time in [400, 410] { store.serve(&second, wants: true, replaces: true, at: time) }
    #expect(second.status(at: Self.ms(410)) == .held && second.token(at: Self.ms(410)) == 2)
  }

  @Test func writesThatAreRefusedAreTriedAgainAfterAPause() {
    for (me, replaces) in [(Self.left, false), (Self.right, true)] {
      var (store, node) = (Store(isReadOnly: true), Self.tenure(me))
      for time in stride(from: 0, to: 10_000, by: 10) { store.serve(&node, wants: true, replaces: replaces, at: time) }
      // Each half second, and once more at the first.
      #expect((19...22).contains(store.writes) && (19...22).contains(store.reads), "\(store)")
      #expect(node.status(at: Self.ms(10_000)) == .free && node.token(at: Self.ms(10_000)) == 0)
      #expect(node.lack(at: Self.ms(10_000)) == "the lease cannot be written: no")
      store.isReadOnly = false
      for time in stride(from: 10_000, to: 11_000, by: 10) {
        store.serve(&node, wants: true, replaces: replaces, at: time)
      }
      #expect(node.status(at: Self.ms(11_000)) == .held && node.lack(at: Self.ms(11_000)) == nil)
    }
  }

  @Test func aWriteThatCameTooLateIsNoFailure() {
    var (store, owner) = (Store(), Self.tenure(Self.left))
    for time in [0, 10] { store.serve(&owner, wants: true, at: time) }
    store.revision = 2
    store.record = LeaseRecord(Self.right.description, revision: 2)
    for time in stride(from: 520, to: 9_000, by: 10) { store.serve(&owner, wants: true, at: time) }
    #expect(store.writes == 2 && owner.failure == nil && owner.lack(at: Self.ms(9_000)) == nil)
  }

  @Test func aStandbyHandsBackARecordOfItsOwnThatItNoLongerWants() {
    var (store, standby) = (Store(), Self.tenure(Self.right))
    standby.timeToLive = .seconds(30)
    for time in [0, 10] { store.serve(&standby, wants: true, replaces: true, at: time) }
    // Longer than it holds it without an answer, shorter than the record lasts.
    store.isThere = false
    for time in stride(from: 1_010, to: 24_000, by: 10) { store.serve(&standby, wants: true, replaces: true, at: time) }
    #expect(standby.status(at: Self.ms(24_000)) == .unknown)
    (store.isThere, store.reads, store.writes) = (true, 0, 0)
    for time in stride(from: 24_000, to: 28_000, by: 10) {
      store.serve(&standby, wants: false, replaces: true, at: time)
    }
    #expect(store.record?.text == "left 0 0 aa" && store.writes == 1 && store.reads <= 5, "\(store)")
  }

  @Test func aRecordOfAnotherNodeIsNobodys() {
    for text in ["nobody 1 0 zz", "x y", ""] {
      var (store, owner, standby) = (Store(), Self.tenure(Self.left), Self.tenure(Self.right))
      store.revision = 4
      store.record = LeaseRecord(text, revision: 4)
      store.serve(&standby, wants: false, replaces: true, at: 0)
      store.serve(&owner, wants: true, at: 0)
      #expect(owner.status(at: .zero) == .free && standby.status(at: .zero) == .free)
      #expect(store.serve(&owner, wants: true, at: 10) == .write(Self.left, replacing: 4))
      #expect(owner.status(at: Self.ms(10)) == .held && owner.token(at: Self.ms(10)) == 5)
    }
  }

  @Test func aHolderThatEndsInOrderHandsOver() {
    var store = Store()
    var (owner, standby) = (Self.tenure(Self.left), Self.tenure(Self.right))
    for time in [0, 10] { store.serve(&owner, wants: true, at: time) }
    store.serve(&standby, wants: false, replaces: true, at: 20)
    #expect(store.release(&owner, at: 30) != nil && store.record?.text == "left 0 0 aa")
    // The standby knows an older revision: it is refused, reads, and holds.
    for time in [40, 50, 60] { store.serve(&standby, wants: true, replaces: true, at: time) }
    #expect(standby.status(at: Self.ms(60)) == .held && standby.token(at: Self.ms(60)) > 2)
    // The owner's next process waits for the standby, and no longer than until it ends.
    var next = Self.tenure(LeaseHolder(node: "left", instance: 9, show: Self.show))
    for time in stride(from: 70, to: 600, by: 10) { store.serve(&next, wants: true, at: time) }
    #expect(next.status(at: Self.ms(600)) != .held)
    store.release(&standby, at: 600)
    // It reads six times within the time to live, 3 s.
    for time in stride(from: 610, to: 1_200, by: 10) { store.serve(&next, wants: true, at: time) }
    #expect(next.status(at: Self.ms(1_200)) == .held)
  }

  @Test func whoHoldsNoLeaseHandsNoneOver() {
    var (store, owner) = (Store(), Self.tenure(Self.left))
    #expect(owner.release(at: .zero) == nil)
    store.serve(&owner, wants: true, at: 0)
    #expect(owner.action(wants: true, replaces: false, at: Self.ms(10)) != nil)
    #expect(owner.release(at: Self.ms(20)) == nil, "a call is under way")
    owner.wrote(1, at: Self.ms(30))
    #expect(owner.status(at: Self.ms(30)) == .held && owner.release(at: Self.ms(2_500)) == nil, "its time is over")
  }

  @Test func ofTwoThatCompeteOneIsRefused() {
    var store = Store()
    var (left, right) = (Self.tenure(Self.left), Self.tenure(Self.right))
    store.serve(&left, wants: true, at: 0)
    store.serve(&right, wants: true, replaces: true, at: 0)
    store.serve(&right, wants: true, replaces: true, at: 10)
    #expect(store.serve(&left, wants: true, at: 10) == .write(Self.left, replacing: 0))
    #expect(left.status(at: Self.ms(10)) != .held && right.status(at: Self.ms(10)) == .held)
  }

  @Test func heartbeatsOfAStaleHolderDoNotCount() {
    var (store, standby) = (Store(), Self.tenure(Self.right))
    #expect(standby.accepts(Self.beat(of: 5), at: .zero), "nothing is known")
    store.revision = 3
    store.record = LeaseRecord("left 5 0 aa", revision: 3)
    store.serve(&standby, wants: false, replaces: true, at: 0)
    #expect(standby.accepts(Self.beat(of: 5, token: 3), at: Self.ms(1)))
    #expect(!standby.accepts(Self.beat(of: 4), at: Self.ms(1)), "a process before the holder")
    #expect(standby.accepts(Self.beat(of: 6), at: Self.ms(1)), "its process after that, which will take the lease")
    store.serve(&standby, wants: true, replaces: true, at: 10)
    #expect(standby.token(at: Self.ms(10)) == 4)
    #expect(!standby.accepts(Self.beat(of: 5, token: 3), at: Self.ms(20)), "its token is older")
    #expect(standby.accepts(Self.beat(of: 5), at: Self.ms(20)), "it knows that it holds the lease no longer")
    #expect(!standby.accepts(Self.beat(of: 5, show: "bb"), at: Self.ms(20)), "it plays another show")
  }
}
