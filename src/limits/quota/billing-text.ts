/** What is said of a refusal that only money ends. */

/** `account`: whose, such as `the account of OPENAI_API_KEY at openai`. */
export function billingText(account: string, said: string): string {
  return `no credit is left on ${account}, and waiting does not bring it back: pay, or raise the limit there (${said})`;
}
