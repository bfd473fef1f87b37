// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Testing

/// Compares Weir's declarations with FFmpeg's headers, where these are installed; `C_INCLUDE_PATH` may add others.
@Suite struct DeclarationTests {
    private static let numbers = [
        "WEIR_AV_ID_MP1": "AV_CODEC_ID_MP1",
        "WEIR_AV_ID_MP2": "AV_CODEC_ID_MP2",
        "WEIR_AV_ID_MP3": "AV_CODEC_ID_MP3",
        "WEIR_AV_ID_AAC": "AV_CODEC_ID_AAC",
        "WEIR_AV_ID_VORBIS": "AV_CODEC_ID_VORBIS",
        "WEIR_AV_ID_OPUS": "AV_CODEC_ID_OPUS",
        "WEIR_AV_ID_FLAC": "AV_CODEC_ID_FLAC",
        "WEIR_AV_ID_ALAC": "AV_CODEC_ID_ALAC",
        "WEIR_AV_FORMAT_U8": "AV_SAMPLE_FMT_U8",
        "WEIR_AV_FORMAT_S16": "AV_SAMPLE_FMT_S16",
        "WEIR_AV_FORMAT_S32": "AV_SAMPLE_FMT_S32",
        "WEIR_AV_FORMAT_FLT": "AV_SAMPLE_FMT_FLT",
        "WEIR_AV_FORMAT_DBL": "AV_SAMPLE_FMT_DBL",
        "WEIR_AV_FORMAT_U8P": "AV_SAMPLE_FMT_U8P",
        "WEIR_AV_FORMAT_S16P": "AV_SAMPLE_FMT_S16P",
        "WEIR_AV_FORMAT_S32P": "AV_SAMPLE_FMT_S32P",
        "WEIR_AV_FORMAT_FLTP": "AV_SAMPLE_FMT_FLTP",
        "WEIR_AV_FORMAT_DBLP": "AV_SAMPLE_FMT_DBLP",
        "WEIR_AV_ORDER_NATIVE": "AV_CHANNEL_ORDER_NATIVE",
        "WEIR_AV_QUIET": "AV_LOG_QUIET",
        "WEIR_AV_END": "AVERROR_EOF",
        "WEIR_AV_NO_DECODER": "AVERROR_DECODER_NOT_FOUND",
        "WEIR_AV_PARAMETERS_EXTRADATA": "offsetof(AVCodecParameters, extradata)",
        "WEIR_AV_PARAMETERS_EXTRADATA_SIZE": "offsetof(AVCodecParameters, extradata_size)",
        "WEIR_AV_FRAME_PLANE_SIZE": "offsetof(AVFrame, linesize)",
        "WEIR_AV_FRAME_PLANES": "offsetof(AVFrame, extended_data)",
        "WEIR_AV_FRAME_COUNT": "offsetof(AVFrame, nb_samples)",
        "WEIR_AV_FRAME_FORMAT": "offsetof(AVFrame, format)",
        "sizeof(struct weir_av_layout)": "sizeof(AVChannelLayout)",
        "offsetof(struct weir_av_layout, channel_count)": "offsetof(AVChannelLayout, nb_channels)",
        "offsetof(struct weir_av_layout, mask)": "offsetof(AVChannelLayout, u)",
        "(WEIR_AV_PADDING >= AV_INPUT_BUFFER_PADDING_SIZE)": "1",
    ]

    private static let headers = """
        #include "calls.h"
        #include <libavcodec/avcodec.h>
        #include <libavutil/channel_layout.h>
        #include <libavutil/error.h>
        #include <libavutil/frame.h>
        #include <libavutil/log.h>
        #include <libavutil/mem.h>
        #include <libavutil/opt.h>

        """

    @Test(
        "functions, numbers and offsets equal those of the installed headers",
        .enabled(if: CCompiler.finds("libavcodec/avcodec.h"), "no headers of FFmpeg are installed")
    )
    func sameAsHeaders() throws {
        var text = Self.headers
        text += "#define SAME(result, name, parameters) \\\n"
        text +=
            "  _Static_assert(__builtin_types_compatible_p(__typeof__(name), result parameters), #name);\n"
        text += "WEIR_AV_CALLS(SAME)\n"
        for (ours, theirs) in Self.numbers {
            text += "_Static_assert((\(ours)) == (\(theirs)), \"\(ours)\");\n"
        }
        #expect(
            try CCompiler.complaints(text, "-fsyntax-only", "-I\(CCompiler.declarations)") == ""
        )
    }

    @Test(
        "the check reports a declaration that differs",
        .enabled(if: CCompiler.finds("libavcodec/avcodec.h"), "no headers of FFmpeg are installed")
    )
    func differenceIsNoticed() throws {
        let text =
            Self.headers
            + "_Static_assert(WEIR_AV_FRAME_FORMAT == offsetof(AVFrame, nb_samples), \"differs\");\n"
        let complaints = try CCompiler.complaints(
            text,
            "-fsyntax-only",
            "-I\(CCompiler.declarations)"
        )
        #expect(complaints.contains("differs"))
    }
}
#endif
