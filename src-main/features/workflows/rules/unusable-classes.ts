/** A server answered, but not with node classes that can be used, and would answer so again until it changes. */
export class UnusableClasses extends Error {}
