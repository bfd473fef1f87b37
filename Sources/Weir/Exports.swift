// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// The types that `import Weir` shows beside the library itself. To write a source, import WeirSource; a transport,
// WeirHTTP; a service, WeirClouds; an encrypted format, WeirCipher. These modules come with the same product.

// The contents of the cache, and its limits.
@_exported public import struct WeirCache.CacheError
@_exported public import struct WeirCache.CacheLimits
@_exported public import struct WeirCache.CacheRemoval
@_exported public import struct WeirCache.CacheVerification
@_exported public import struct WeirCache.CachedResource
@_exported public import struct WeirCache.DirectoryAttributes
// The decryption of media.
@_exported public import struct WeirCipher.AESFormat
@_exported public import enum WeirCipher.AESKeySource
@_exported public import struct WeirCipher.AgeIdentity
@_exported public import struct WeirCipher.CipherError
@_exported public import struct WeirCipher.CipherKey
@_exported public import struct WeirCipher.Decryption
@_exported public import enum WeirCipher.InitialVector
@_exported public import struct WeirCipher.KeyMaterial
@_exported public import class WeirCipher.SecretBytes
// Radio.
@_exported public import class WeirLive.Station
@_exported public import struct WeirLoader.LoadPolicy
// The policies of fetching and keeping.
@_exported public import enum WeirLoader.PrefetchPolicy
@_exported public import enum WeirLoader.Revalidation
@_exported public import enum WeirLoader.WhenGone
// The types of every source's answers.
@_exported public import struct WeirSource.Availability
@_exported public import struct WeirSource.ByteChunk
@_exported public import struct WeirSource.ByteMemory
@_exported public import struct WeirSource.ByteReading
@_exported public import protocol WeirSource.ByteSource
@_exported public import struct WeirSource.MediaType
@_exported public import enum WeirSource.RequestedRange
@_exported public import struct WeirSource.ResourceDescription
@_exported public import struct WeirSource.SourceError
