export const SECRET_REFERENCE: RegExp = /\{\{\s*RUNPOD_SECRET_([A-Za-z0-9_.-]+)\s*\}\}/g
