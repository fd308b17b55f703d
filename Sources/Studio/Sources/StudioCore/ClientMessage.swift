public import Foundation

/// A text message of a client.
public struct ClientMessage: Sendable, Equatable {
  /// The topics to receive from now on.
  public var subscribe: Set<Topic> = []
  /// The topics to receive no more.
  public var unsubscribe: Set<Topic> = []
  /// Whether the settings of the account are to come; nil: as before.
  public var account: Bool?
  /// Whether values are to wait; nil: as before.
  public var pause: Bool?
  /// An action such as `ticker/start`, with the number that its answer carries; nil: none.
  public var action: Action?

  /// An action.
  public struct Action: Sendable, Equatable {
    /// The number that the answer carries.
    public var id: Double
    /// `engine/action`.
    public var name: String
    /// Its arguments.
    public var arguments: JSON
  }

  /// What is wrong with a message.
  public struct Fault: Error, Sendable, Equatable {
    /// The sentence, with what was expected and received.
    public let message: String
  }

  /// Reads a message, an object with `"v":1`.
  public init(_ text: some DataProtocol) throws(Fault) {
    guard let value = JSON(text: text), case .object = value else {
      throw Fault(message: "expected a JSON object, got other text")
    }
    guard value["v"] == .number(1) else { throw Fault(message: "v: expected 1, got \(value["v"].text)") }
    subscribe = try Self.topics(value["subscribe"], "subscribe")
    unsubscribe = try Self.topics(value["unsubscribe"], "unsubscribe")
    if Self.names(value["unsubscribe"]).contains(.string(Self.accountTopic)) { account = false }
    if Self.names(value["subscribe"]).contains(.string(Self.accountTopic)) { account = true }
    pause = value["pause"].bool
    guard pause != nil || value["pause"] == .null else {
      throw Fault(message: "pause: expected true or false, got \(value["pause"].text)")
    }
    if value["do"] != .null {
      guard let name = value["do"].string, let id = value["id"].number else {
        throw Fault(message: "expected do with the name of an action, and id with a number")
      }
      action = Action(id: id, name: name, arguments: value["with"])
    }
  }

  /// The topic of an account's settings. They are texts: it has no number.
  private static let accountTopic = "account"

  private static func names(_ value: JSON) -> [JSON] { value == .null ? [] : value.array ?? [value] }

  private static func topics(_ value: JSON, _ key: String) throws(Fault) -> Set<Topic> {
    var topics: Set<Topic> = []
    for name in names(value) where name != .string(accountTopic) {
      guard let topic = name.string.flatMap(Topic.init(name:)) else {
        let all = Topic.allCases.map(\.name).joined(separator: ", ")
        throw Fault(message: "\(key): expected names of topics (\(all)), got \(name.text)")
      }
      topics.insert(topic)
    }
    return topics
  }
}

/// What a binary message of a client says it is.
public enum BinaryKind: UInt8, Sendable {
  /// A ``MicrophoneBlock``.
  case sound = 1
  /// A ``CameraFrame``.
  case camera = 2

  /// Reads the version and the kind, and nothing else; nil for other bytes.
  public init?(of bytes: [UInt8]) {
    guard bytes.count >= 2, bytes[0] == 1 else { return nil }
    self.init(rawValue: bytes[1])
  }
}

/// A block of a browser's microphone: a binary message.
public struct MicrophoneBlock: Sendable, Equatable {
  /// The bytes before the samples: version 1, kind 1, channels, sequence number, rate, frames.
  public static let headerLength = 16
  /// The fewest frames of a block: those that a browser renders at once.
  public static let minimumFrameCount = 128
  /// The most blocks per second: more than twice those of 20 ms.
  public static let maximumRate = 250.0
  /// The most frames of a block.
  public static let maximumFrameCount = 4_096

  /// What other bytes are answered with.
  public static let expectation =
    "expected a block of one channel with \(minimumFrameCount) to \(maximumFrameCount) frames"

  /// Its number, from 0; a jump is lost sound.
  public let sequence: UInt32
  /// In Hz.
  public let sampleRate: Double
  /// Full scale is ±1.
  public let samples: [Float]

  /// Reads a block of one channel; nil for other bytes.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.headerLength, BinaryKind(of: bytes) == .sound,
      bytes.integer(at: 2, as: UInt16.self) == 1,
      let sequence = bytes.integer(at: 4, as: UInt32.self), let rate = bytes.integer(at: 8, as: UInt32.self),
      let frames = bytes.integer(at: 12, as: UInt32.self), (8_000...192_000).contains(rate),
      (UInt32(Self.minimumFrameCount)...UInt32(Self.maximumFrameCount)).contains(frames),
      bytes.count == Self.headerLength + 4 * Int(frames)
    else { return nil }
    self.sequence = sequence
    sampleRate = Double(rate)
    samples = (0..<Int(frames)).map { frame in
      let sample = Float(bitPattern: bytes.integer(at: Self.headerLength + 4 * frame) ?? 0)
      return sample.isFinite ? min(max(sample, -1), 1) : 0
    }
  }
}

/// A frame of a browser's camera: a binary message.
public struct CameraFrame: Sendable, Equatable {
  /// The bytes before the pixels: version 1, kind 2, width, height, 0.
  public static let headerLength = 8
  /// The pixels of a side.
  public static let sides = 16...4_096
  /// The most pixels: those of the longest message.
  public static let maximumPixelCount = (64 << 10) - headerLength

  /// What other bytes are answered with.
  public static let expectation =
    "a frame of gray with sides of \(sides.lowerBound) pixels or more, \(maximumPixelCount) pixels at most"

  /// In pixels.
  public let width: Int
  /// In pixels.
  public let height: Int
  /// The gray of each pixel, row by row.
  public let pixels: ArraySlice<UInt8>

  /// Reads a frame; nil for other bytes.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.headerLength, BinaryKind(of: bytes) == .camera,
      let width = bytes.integer(at: 2, as: UInt16.self), let height = bytes.integer(at: 4, as: UInt16.self),
      bytes.integer(at: 6, as: UInt16.self) == 0, Self.sides.contains(Int(width)), Self.sides.contains(Int(height)),
      bytes.count == Self.headerLength + Int(width) * Int(height)
    else { return nil }
    (self.width, self.height) = (Int(width), Int(height))
    pixels = bytes[Self.headerLength...]
  }
}
