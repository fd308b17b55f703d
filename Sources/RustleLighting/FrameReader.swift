public import Foundation
internal import RustleCore

/// A picture of a camera: a plane of gray.
public struct GrayFrame: Sendable, Hashable {
  /// The width in pixels.
  public let width: Int
  /// The height in pixels.
  public let height: Int
  /// The gray of each pixel, row by row: 0 is black, 255 white.
  public let pixels: Data

  /// Creates a frame of as many pixels as the sides say.
  public init(width: Int, height: Int, pixels: Data) {
    precondition(pixels.count == width * height, "expected width * height pixels")
    (self.width, self.height, self.pixels) = (width, height, pixels)
  }
}

/// Reads the frames of a camera out of bytes as they come. After an error, nothing more is read.
public actor FrameReader {
  private let native: NativeFrameReader

  /// Creates a reader, before its first byte.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/malformedInput`` for frames of gray that are too large.
  public init(_ format: MappingSettings.Format) throws(LightingError) {
    let (format, width, height) = format.native
    native = try LightingError.rethrowing { () throws(NativeError) in
      try NativeFrameReader(NativeFrameReaderConfiguration(width: width, height: height, format: format))
    }
  }

  /// The time between frames; nil where the bytes do not say it.
  public var interval: Duration? {
    get throws(LightingError) {
      let interval = try LightingError.rethrowing { () throws(NativeError) in try native.progress().interval }
      return interval == 0 ? nil : .nanoseconds(Int64(clamping: interval))
    }
  }

  /// Takes bytes; the frames that are complete with them.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/malformedInput`` for bytes that are no frames.
  public func push(_ bytes: Data) throws(LightingError) -> [GrayFrame] {
    guard !bytes.isEmpty else { return [] }
    return try LightingError.rethrowing(advice: MappingSettings.formats) { () throws(NativeError) in
      try native.push(Array(bytes).span)
      var frames: [GrayFrame] = []
      let size = try native.progress()
      while let pixels = try native.frame(pixels: size.width * size.height) {
        frames.append(GrayFrame(width: size.width, height: size.height, pixels: Data(pixels)))
      }
      return frames
    }
  }

  /// Ends the bytes.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/malformedInput`` for an end within a frame or before the first.
  public func end() throws(LightingError) {
    try LightingError.rethrowing(advice: MappingSettings.formats) { () throws(NativeError) in
      try native.push([UInt8]().span)
    }
  }
}
