/** The colour of a type of slots, as users of the field know them. Source: interface, Look. */

const COLOURS: Readonly<Record<string, string>> = {
  MODEL: 'var(--slot-model)',
  CLIP: 'var(--slot-clip)',
  CLIP_VISION: 'var(--slot-clip)',
  VAE: 'var(--slot-vae)',
  CONDITIONING: 'var(--slot-conditioning)',
  LATENT: 'var(--slot-latent)',
  IMAGE: 'var(--slot-image)',
  MASK: 'var(--slot-mask)',
  INT: 'var(--slot-number)',
  FLOAT: 'var(--slot-number)',
  BOOLEAN: 'var(--slot-number)',
  STRING: 'var(--slot-text)',
  COMBO: 'var(--slot-text)',
}

/** The colour of slots and links of a type; of a list of types that of the first that has one. */
export function slotColour(type: string): string {
  const known = type.split(',').find((one) => Object.hasOwn(COLOURS, one))
  return (known === undefined ? undefined : COLOURS[known]) ?? 'var(--slot-unknown)'
}

/** Whether a type has a colour of its own; the others are drawn with a dashed ring. */
export function isKnownSlot(type: string): boolean {
  return type.split(',').some((one) => Object.hasOwn(COLOURS, one))
}
