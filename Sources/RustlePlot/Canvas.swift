internal import CCairo
internal import Foundation

/// A picture in memory, and the only file that calls cairo.
///
/// The unsafe expressions below rely on one invariant: `surface` and `context` came from cairo's own constructors, which
/// never return NULL, and are destroyed in `deinit` alone, so they are valid in every method.
@safe final class Canvas {
  enum Alignment {
    case start, center, end
  }

  let width: Int
  let height: Int
  private let surface: OpaquePointer
  private let context: OpaquePointer

  init(width: Int, height: Int, fontFamily: String) throws(PlotError) {
    guard (64...16_384).contains(width), (64...16_384).contains(height) else {
      throw PlotError(
        .invalidSize, "expected a width and a height from 64 to 16384 pixels, got \(width) x \(height)",
        advice: "Choose a size in that range.")
    }
    self.width = width
    self.height = height
    unsafe surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(width), Int32(height))
    unsafe context = cairo_create(surface)
    // Hinting and subpixel order come from the desktop's settings unless they are set here; a picture has to look the
    // same wherever it is made.
    let options = unsafe cairo_font_options_create()
    unsafe cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
    unsafe cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
    unsafe cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
    unsafe cairo_set_font_options(context, options)
    unsafe cairo_font_options_destroy(options)
    unsafe cairo_select_font_face(context, fontFamily, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL)
    try check()
  }

  deinit {
    unsafe cairo_destroy(context)
    unsafe cairo_surface_destroy(surface)
  }

  func fill(_ rect: PlotRect, _ color: PlotColor) {
    set(color)
    unsafe cairo_rectangle(context, rect.x, rect.y, rect.width, rect.height)
    unsafe cairo_fill(context)
  }

  /// Fills a rectangle with pixels of their own, `0xRRGGBB`, row after row from above: as many as the rectangle has, whose
  /// edges are whole numbers inside the picture.
  func fill(_ rect: PlotRect, pixels: [UInt32]) {
    let (left, top, across, down) = (Int(rect.x), Int(rect.y), Int(rect.width), Int(rect.height))
    precondition(left >= 0 && top >= 0 && left + across <= width && top + down <= height, "outside of the picture")
    precondition(pixels.count == across * down, "expected \(across * down) pixels, got \(pixels.count)")
    unsafe cairo_surface_flush(surface)
    let stride = Int(unsafe cairo_image_surface_get_stride(surface))
    // NULL only for a surface that cairo could not make, which `check` reports.
    guard let data = unsafe cairo_image_surface_get_data(surface) else { return }
    for row in 0..<down {
      for column in 0..<across {
        // A pixel of RGB24 is 32 bits in the machine's own order.
        let offset = (top + row) * stride + (left + column) * 4
        unsafe UnsafeMutableRawPointer(data).storeBytes(
          of: pixels[row * across + column], toByteOffset: offset, as: UInt32.self)
      }
    }
    unsafe cairo_surface_mark_dirty(surface)
  }

  func line(from start: PlotPoint, to end: PlotPoint, _ color: PlotColor, width: Double = 1) {
    path([start, end], color, width: width)
  }

  /// Draws an open path through the points.
  func path(_ points: [PlotPoint], _ color: PlotColor, width: Double) {
    trace(points)
    set(color)
    unsafe cairo_set_line_width(context, width)
    unsafe cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
    unsafe cairo_stroke(context)
  }

  /// Fills the shape whose corners are the points.
  func fill(_ points: [PlotPoint], _ color: PlotColor) {
    trace(points)
    set(color)
    unsafe cairo_close_path(context)
    unsafe cairo_fill(context)
  }

  /// Draws a ring whose inside has another colour.
  func ring(at center: PlotPoint, radius: Double, _ color: PlotColor, inside: PlotColor) {
    unsafe cairo_new_sub_path(context)
    unsafe cairo_arc(context, center.x, center.y, radius, 0, 2 * .pi)
    set(inside)
    unsafe cairo_fill_preserve(context)
    set(color)
    unsafe cairo_set_line_width(context, 1.6)
    unsafe cairo_stroke(context)
  }

  /// The width of a text in pixels.
  func width(of text: String, size: Double) -> Double {
    unsafe cairo_set_font_size(context, size)
    var extents = cairo_text_extents_t()
    unsafe cairo_text_extents(context, text, &extents)
    return extents.x_advance
  }

  /// Draws one line of text.
  ///
  /// - Parameters:
  ///   - point: on the base line, at the text's start, middle or end.
  ///   - isUpwards: whether the text runs from below to above.
  func text(
    _ text: String, at point: PlotPoint, size: Double, _ color: PlotColor, align: Alignment = .start,
    isUpwards: Bool = false
  ) {
    let width = width(of: text, size: size)
    let offset =
      switch align {
      case .start: 0.0
      case .center: -width / 2
      case .end: -width
      }
    unsafe cairo_save(context)
    unsafe cairo_translate(context, point.x, point.y)
    if isUpwards { unsafe cairo_rotate(context, -.pi / 2) }
    unsafe cairo_move_to(context, offset, 0)
    set(color)
    unsafe cairo_show_text(context, text)
    unsafe cairo_restore(context)
  }

  /// Draws with everything outside the rectangle cut off.
  func clipped(to rect: PlotRect, _ draw: (Canvas) -> Void) {
    unsafe cairo_save(context)
    unsafe cairo_rectangle(context, rect.x, rect.y, rect.width, rect.height)
    unsafe cairo_clip(context)
    draw(self)
    unsafe cairo_restore(context)
  }

  /// Writes the picture as a PNG file and then replaces what is there, which stays whole when that fails.
  func writePNG(to path: String) throws(PlotError) {
    try check()
    unsafe cairo_surface_flush(surface)
    try PictureFile.replace(path) { temporary in
      let status = unsafe cairo_surface_write_to_png(surface, temporary)
      return status == CAIRO_STATUS_SUCCESS ? nil : Self.text(of: status)
    }
  }

  private func trace(_ points: [PlotPoint]) {
    unsafe cairo_new_path(context)
    for point in points { unsafe cairo_line_to(context, point.x, point.y) }
  }

  private func set(_ color: PlotColor) {
    unsafe cairo_set_source_rgba(context, color.red, color.green, color.blue, color.alpha)
  }

  /// cairo keeps the first error and ignores every later call, so one check before the picture is used is enough.
  private func check() throws(PlotError) {
    let status = unsafe cairo_status(context)
    guard status == CAIRO_STATUS_SUCCESS else {
      throw PlotError(
        .drawingFailed, "cairo cannot draw: \(Self.text(of: status))",
        advice: "Check the memory and the installed fonts (Debian: fonts-dejavu-core).")
    }
  }

  private static func text(of status: cairo_status_t) -> String {
    unsafe String(cString: cairo_status_to_string(status))
  }

  /// The version text of the library that this process runs with, for example `1.16.0`.
  static var libraryVersion: String { unsafe String(cString: cairo_version_string()) }
}

/// The drawing library behind the plots.
public enum PlotLibrary {
  /// cairo's version text, for example `1.16.0`.
  public static var version: String { Canvas.libraryVersion }
}
