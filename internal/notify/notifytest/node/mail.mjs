// An SMTP server that reads what arrives as mail programs do: smtp-server, mailparser and mailauth from npm.
// Each mail is a line of JSON on standard output. Argument: a JSON object, see notifytest.go.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { SMTPServer } = require("smtp-server");
const { simpleParser } = require("mailparser");
const { dkimVerify } = require("mailauth/lib/dkim/verify");

const config = JSON.parse(process.argv[2]);
const resolver = async (name, type) => {
  if (type === "TXT" && config.txt?.[name]) return [[config.txt[name]]];
  throw Object.assign(new Error(`no ${type} record at ${name}`), { code: "ENOTFOUND" });
};
const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);

const server = new SMTPServer({
  secure: config.secure ?? false,
  ...(config.key ? { key: config.key, cert: config.cert } : {}),
  disabledCommands: [...(config.user ? [] : ["AUTH"]), ...(config.key ? [] : ["STARTTLS"])],
  authMethods: ["PLAIN", "LOGIN"],
  authOptional: !config.user,
  logger: false,
  onAuth(auth, _, done) {
    if (auth.username === config.user && auth.password === config.password) done(null, { user: auth.username });
    else done(new Error(`wrong password ${auth.password}`));
  },
  onData(stream, session, done) {
    const parts = [];
    stream.on("data", (part) => parts.push(part));
    stream.on("end", async () => {
      const raw = Buffer.concat(parts);
      const mail = await simpleParser(raw, { skipTextToHtml: true, skipHtmlToText: true });
      const dkim = await dkimVerify(raw, { resolver });
      say({
        raw: raw.toString("latin1"),
        session: session.id,
        secure: session.secure,
        rcpt: session.envelope.rcptTo.map((to) => to.address),
        from: mail.from?.value[0],
        to: mail.to?.text,
        subject: mail.subject,
        id: mail.messageId,
        replyTo: mail.inReplyTo ?? "",
        references: [mail.references ?? []].flat(),
        headers: mail.headerLines.map((h) => h.line),
        text: mail.text ?? "",
        html: mail.html || "",
        dkim: dkim.results.map((r) => `${r.status.result} ${r.signingDomain ?? ""} ${r.algo ?? ""}`.trim()),
      });
      done();
    });
  },
});
server.on("error", () => {}); // a client that disconnects
server.listen(0, "127.0.0.1", () => say({ port: server.server.address().port }));

process.stdin.on("end", () => process.exit()).resume();
