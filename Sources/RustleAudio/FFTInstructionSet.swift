internal import Foundation
internal import RustleCore

extension FFT {
  /// The vector instructions that a transform uses. All instruction sets compute the same sums by the same algorithm; their
  /// results differ by rounding.
  public enum InstructionSet: String, Sendable, Hashable, Codable, CaseIterable {
    /// Plain arrays, on every processor.
    case plain
    /// Four lanes in 128-bit registers, on every x86-64.
    case narrow
    /// Four lanes in 128-bit registers, on every arm64: NEON.
    case neon
    /// Eight lanes: AVX2 and FMA.
    case avx2
    /// Sixteen lanes: AVX-512.
    case avx512

    /// The instruction set of an ``FFT`` without an explicit one: the value of the environment variable
    /// `RUSTLE_FFT_INSTRUCTION_SET` (a case's name) at the first use in the process, otherwise the widest that this machine has.
    ///
    /// - Throws: ``FFTError`` with ``FFTError/Code/validation`` when the variable names no instruction set, or one that this
    ///   machine does not have.
    public static func preferred() throws(FFTError) -> Self {
      let native: NativeInstructionSet?
      do {
        native = try NativeCalls.fftInstructionSet()
      } catch {
        throw refused(nil, error)
      }
      return try Self(native)
    }

    var native: NativeInstructionSet {
      switch self {
      case .plain: .plain
      case .narrow: .narrow
      case .neon: .neon
      case .avx2: .avx2
      case .avx512: .avx512
      }
    }

    /// The instruction set that the native side reports.
    init(_ native: NativeInstructionSet?) throws(FFTError) {
      guard let instructionSet = Self.allCases.first(where: { $0.native == native }) else {
        throw .native("the native side reports an unknown instruction set", advice: "Report it with this text.")
      }
      self = instructionSet
    }

    /// The error of a plan whose other arguments are valid: the instruction set is at fault.
    static func refused(_ instructionSet: Self?, _ error: NativeError) -> FFTError {
      guard error.status == .invalidValue else { return FFTError(error) }
      if let instructionSet {
        return .validation(
          "instructionSet", expected: "one that this machine has", got: instructionSet.rawValue,
          advice: "Leave the instructionSet out.")
      }
      let variable = "RUSTLE_FFT_INSTRUCTION_SET"
      return .validation(
        variable, expected: "one of \(allCases.map(\.rawValue).joined(separator: ", ")) that this machine has",
        got: "'\(ProcessInfo.processInfo.environment[variable] ?? "")'",
        advice: "Unset \(variable), or set it to an instruction set that this machine has.")
    }
  }
}
