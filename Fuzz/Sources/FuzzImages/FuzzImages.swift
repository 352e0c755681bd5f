import CurlewImageBytes
import FoundationEssentials
import FuzzKit

/// Fuzzes images: whole, verified, and as their bytes arrive.
@main enum FuzzImages: FuzzTarget {
  static func read(_ bytes: Data) {
    let whole = try? ImageInfo(of: bytes)
    let verified = try? ImageInfo(verifying: bytes)
    if let verified { demand(verified == whole, "a verified file has other properties") }
    if let whole {
      demand(whole.width > 0 && whole.height > 0, "a picture has no pixels")
      let (pixels, overflow) = whole.width.multipliedReportingOverflow(by: whole.height)
      demand(!overflow && pixels <= ImageLimits.default.maximumPixels, "a limit is passed")
    }
    readAsItArrives(bytes, whole)
  }

  /// Checks that a probe asks for more bytes than it has, and only for needed ones.
  private static func readAsItArrives(_ bytes: Data, _ whole: ImageInfo?) {
    var count = 16
    while count < bytes.count {
      guard let probe = try? ImageInfo.probe(bytes.prefix(count)) else { return }
      switch probe {
      case .info(let info):
        demand(info.width > 0 && info.height > 0, "a probed picture has no pixels")
        if let whole { demand(info.width == whole.width && info.height == whole.height, "a probe tells another size") }
        return
      case .needsMoreBytes(let least):
        demand(least > count, "a probe asks for no more than it has")
        count = least
      }
    }
  }
}
