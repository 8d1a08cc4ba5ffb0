/** Why the service did not start, for a person. */
export class StartError extends Error {
  readonly kind: 'locked' | 'port-taken' | 'address' | 'data'

  constructor(kind: StartError['kind'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StartError'
    this.kind = kind
  }
}
