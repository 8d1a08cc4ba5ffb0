export const START_CODES = {
  locked: 'DATA_FOLDER_IN_USE',
  'port-taken': 'PORT_TAKEN',
  address: 'ADDRESS_UNUSABLE',
  data: 'DATA_FOLDER_UNUSABLE',
  version: 'DATA_FOLDER_OF_OTHER_VERSION',
} as const

/** The owner of a taken port if nothing more is known. */
export const OTHER_PROGRAM = 'another program'

export class StartError extends Error {
  readonly kind: keyof typeof START_CODES

  constructor(kind: StartError['kind'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StartError'
    this.kind = kind
  }
}
