import CurlewImageBytes
import Testing

@Suite(.enabled(if: ImageCorpus.isPresent, "shared/data/images is not here"))
struct ManifestTests {
  /// What Pillow calls the formats.
  private static let formats: [String: Set<ImageFormat>] = [
    "PNG": [.png, .apng], "JPEG": [.jpeg], "MPO": [.jpeg], "GIF": [.gif], "WEBP": [.webp], "BMP": [.bmp],
    "TIFF": [.tiff], "ICO": [.ico], "CUR": [.cur], "AVIF": [.avif], "HEIF": [.heic, .heif],
  ]

  /// Formats Pillow opens that are none of ours: JPEG 2000 and Photoshop files.
  private static let foreignFormats: Set<String> = ["JPEG2000", "PSD"]

  private static let otherHeaders: [String: String] = [
    "Pillow__Tests_images_g4_orientation_6.tif":
      "Pillow turns the size of a TIFF by its orientation; here it is as stored, 88 × 590, and upright 590 × 88",
    "Pillow__Tests_images_crash-2020-10-test.tif":
      "made by a fuzzer: the next page lies beyond the end of the file; the header alone agrees",
    "Pillow__Tests_images_crash-63b1dffefc8c075ddc606c0a2f5fdc15ece78863.tif":
      "made by a fuzzer: the next page lies beyond the end of the file; the header alone agrees",
    "imagesize_py__test_images_test-rotated.avif":
      "its general brand mif1 makes it HEIF for Pillow; its brand avif makes it AVIF here",
  ]

  private static let otherFrames: [String: String] = [
    "Pillow__Tests_images_apng_mode_palette.png": defaultPicture,
    "Pillow__Tests_images_apng_mode_palette_1bit_alpha.png": defaultPicture,
    "Pillow__Tests_images_apng_mode_palette_alpha.png": defaultPicture,
    "Pillow__Tests_images_apng_chunk_no_fctl.png": defaultPicture,
    "Pillow__Tests_images_apng_chunk_repeat_fctl.png": defaultPicture,
    "Pillow__Tests_images_apng_split_fdat.png": defaultPicture,
    "Pillow__Tests_images_apng_split_fdat_zero_chunk.png": defaultPicture,
    "Pillow__Tests_images_test_extents_transparency.gif":
      "a second GIF starts behind the first frame; browsers stop there, Pillow goes on",
    "libavif__tests_data_paris_exif_xmp_gainmap_littleendian.jpg":
      "its index of pictures is little-endian and announces 2; Pillow does not read it",
  ]

  private static let defaultPicture =
    "Pillow counts the default picture, which is no frame of the animation; here it is what acTL declares"

  private func agrees(_ info: ImageInfo, _ sample: ImageCorpus.Sample) -> Bool {
    Self.formats[sample.pillowFormat, default: []].contains(info.format) && info.width == sample.width
      && info.height == sample.height
  }

  @Test func `format and size are those of the manifest`() {
    for sample in ImageCorpus.samples where !sample.pillowFormat.isEmpty {
      let info = try? ImageInfo(of: sample.bytes)
      if Self.foreignFormats.contains(sample.pillowFormat) {
        #expect(throws: ImageError.self, "\(sample.name)") { try ImageInfo(of: sample.bytes) }
      } else {
        let isListed = Self.otherHeaders[sample.name] != nil
        #expect((info.map { agrees($0, sample) } ?? false) != isListed, "\(sample.name): \(String(describing: info))")
      }
    }
  }

  @Test func `the beginning of a file tells the same as the whole`() throws {
    for sample in ImageCorpus.samples {
      guard var whole = try? ImageInfo(of: sample.bytes) else { continue }
      guard case .info(let probed) = try ImageInfo.probe(sample.bytes) else {
        // A box that reaches to the end of the file is complete only when the file is known to end.
        #expect(sample.name == "libavif__tests_data_draw_points_idat_metasize0.avif", "\(sample.name)")
        continue
      }
      if probed.frames == nil { whole.frames = nil }
      #expect(probed == whole, "\(sample.name)")
    }
  }

  @Test func `frames are those of the manifest`() {
    for sample in ImageCorpus.samples where Self.formats[sample.pillowFormat] != nil {
      guard let info = try? ImageInfo(of: sample.bytes) else { continue }
      let isListed = Self.otherFrames[sample.name] != nil
      #expect((info.frames == sample.frames) != isListed, "\(sample.name): \(info)")
    }
  }

  /// Corrupt on purpose, or by a fuzzer, and yet opened by Pillow, which decodes lazily.
  private static let brokenStructures: [String: String] = [
    "Pillow__Tests_images_crash-86214e58da443d2b80820cff9677a38a33dcbbca.tif": "strips beyond the end",
    "Pillow__Tests_images_crash-1185209cf7655b5aed8ae5e77784dfdd18ab59e9.tif": "strips beyond the end",
    "Pillow__Tests_images_crash-0c7e0e8e11ce787078f00b5b0ca409a167f070e0.tif": "strips beyond the end",
    "Pillow__Tests_images_crash-4f085cc12ece8cde18758d42608bed6a2a2cfb1c.tif": "strips beyond the end",
    "Pillow__Tests_images_multipage_single_frame_loop.tiff": "the page follows itself",
    "Pillow__Tests_images_test_extents_transparency.gif": "a second header behind the first frame",
    "Pillow__Tests_images_apng_chunk_no_fctl.png": "a frame control is missing",
    "Pillow__Tests_images_apng_chunk_repeat_fctl.png": "a frame control is there twice",
    "image__tests_regression_jpg_oss-fuzz-36829.jpeg": "a restart marker outside a scan",
    "image__tests_bad_ico_Bad_smile-incorrect-image-length.ico": "the picture is longer than its entry says",
  ]

  @Test func `every file whose header agrees has a sound structure but those listed`() {
    for sample in ImageCorpus.samples where Self.formats[sample.pillowFormat] != nil {
      guard (try? ImageInfo(of: sample.bytes)) != nil else { continue }
      let isSound = (try? ImageInfo(verifying: sample.bytes)) != nil
      #expect(isSound == (Self.brokenStructures[sample.name] == nil), "\(sample.name)")
    }
  }
}
