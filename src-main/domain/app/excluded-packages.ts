/**
 * Packages that every base image has, by profile: they are never put into an artifact. `specified` is what the
 * specification says (4.3, rule 2); `observed` is what the public tool does, whose images for CPUs have no numpy.
 */
export const EXCLUSION_PROFILES = {
  specified: ['torch', 'torchvision', 'torchaudio', 'numpy', 'triton'],
  observed: ['torch', 'torchvision', 'torchaudio', 'triton'],
} as const satisfies Record<string, readonly string[]>

/** Name of a profile. */
export type ExclusionProfile = keyof typeof EXCLUSION_PROFILES

/** The SDK itself, ours and the public one: an artifact brings it along in any case. Normalised names. */
export const BUILT_IN_PACKAGES: readonly string[] = ['runpod', 'runpod-flash', 'svc']
