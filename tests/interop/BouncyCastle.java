// Checks the lines of OURS: generates the keys again from the seeds, verifies the signatures, and
// reads the public keys from their documents. Bouncy Castle reads documents of secret keys with
// separate polynomials, and refuses those with the encoded key. Writes lines with Bouncy Castle's
// signatures and documents to THEIRS. src/main.rs describes the lines.
//
//   java -cp bcprov.jar BouncyCastle.java OURS THEIRS
import java.nio.file.Files;
import java.nio.file.Path;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.bouncycastle.pqc.crypto.falcon.FalconKeyGenerationParameters;
import org.bouncycastle.pqc.crypto.falcon.FalconKeyPairGenerator;
import org.bouncycastle.pqc.crypto.falcon.FalconParameters;
import org.bouncycastle.pqc.crypto.falcon.FalconPrivateKeyParameters;
import org.bouncycastle.pqc.crypto.falcon.FalconPublicKeyParameters;
import org.bouncycastle.pqc.crypto.falcon.FalconSigner;
import org.bouncycastle.pqc.crypto.util.PrivateKeyFactory;
import org.bouncycastle.pqc.crypto.util.PrivateKeyInfoFactory;
import org.bouncycastle.pqc.crypto.util.PublicKeyFactory;
import org.bouncycastle.pqc.crypto.util.SubjectPublicKeyInfoFactory;

class BouncyCastle {
    /** A generator that returns the bytes of a seed once. */
    static final class Seed extends SecureRandom {
        private byte[] seed;

        Seed(byte[] seed) {
            this.seed = seed;
        }

        @Override
        public void nextBytes(byte[] out) {
            require(out.length == seed.length, "a seed of " + out.length + " bytes");
            System.arraycopy(seed, 0, out, 0, out.length);
            seed = new byte[0];
        }
    }

    static void require(boolean condition, String what) {
        if (!condition) {
            throw new IllegalStateException(what);
        }
    }

    /** Concatenates a header byte and arrays. */
    static String join(int header, byte[]... parts) {
        StringBuilder text = new StringBuilder(HexFormat.of().toHexDigits((byte) header));
        for (byte[] part : parts) {
            text.append(HexFormat.of().formatHex(part));
        }
        return text.toString();
    }

    /** Returns the secret key in a document, in its encoding. */
    static String secretIn(byte[] document, int header) throws IOException {
        var key = (FalconPrivateKeyParameters) PrivateKeyFactory.createKey(document);
        return join(header, key.getSpolyf(), key.getG(), key.getSpolyF());
    }

    /** Returns whether a document of a secret key can be read. */
    static boolean isRead(byte[] document) {
        try {
            PrivateKeyFactory.createKey(document);
            return true;
        } catch (IOException | RuntimeException refusal) {
            return false;
        }
    }

    public static void main(String[] arguments) throws Exception {
        List<String> lines = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            String[] fields = line.split("\t", -1);
            if (!fields[0].startsWith("Falcon-")) {
                continue;
            }
            boolean small = fields[0].equals("Falcon-512");
            FalconParameters set =
                    small ? FalconParameters.falcon_512 : FalconParameters.falcon_1024;
            int logn = small ? 9 : 10;
            FalconKeyPairGenerator generator = new FalconKeyPairGenerator();
            SecureRandom seed = new Seed(HexFormat.of().parseHex(fields[1]));
            generator.init(new FalconKeyGenerationParameters(seed, set));
            var pair = generator.generateKeyPair();
            var publicKey = (FalconPublicKeyParameters) pair.getPublic();
            var secretKey = (FalconPrivateKeyParameters) pair.getPrivate();
            require(join(logn, publicKey.getH()).equals(fields[2]), "another public key");
            String secret = join(0x50 + logn,
                    secretKey.getSpolyf(), secretKey.getG(), secretKey.getSpolyF());
            require(secret.equals(fields[3]), "another secret key");

            byte[] message = HexFormat.of().parseHex(fields[4]);
            byte[] signature = HexFormat.of().parseHex(fields[5]);
            FalconSigner verifier = new FalconSigner();
            verifier.init(false, publicKey);
            require(verifier.verifySignature(message, signature), "a refused signature");
            byte[] other = Arrays.copyOf(message, message.length + 1);
            require(!verifier.verifySignature(other, signature), "a signature of another message");

            byte[] ourPublic = HexFormat.of().parseHex(fields[7]);
            var read = (FalconPublicKeyParameters) PublicKeyFactory.createKey(ourPublic);
            require(Arrays.equals(read.getH(), publicKey.getH()), "another public key in a document");
            require(read.getParameters() == set, "a document of another parameter set");
            require(!isRead(HexFormat.of().parseHex(fields[8])),
                    "reads documents with the encoded key: say so in README.md and here");

            byte[] polynomials = HexFormat.of().parseHex(fields[9]);
            require(secretIn(polynomials, 0x50 + logn).equals(secret),
                    "another secret key in separate polynomials");

            FalconSigner signer = new FalconSigner();
            signer.init(true, PrivateKeyFactory.createKey(polynomials));
            fields[5] = HexFormat.of().formatHex(signer.generateSignature(message));
            fields[6] = "-";
            fields[7] = HexFormat.of().formatHex(
                    SubjectPublicKeyInfoFactory.createSubjectPublicKeyInfo(publicKey).getEncoded());
            fields[8] = "-";
            fields[9] = HexFormat.of().formatHex(
                    PrivateKeyInfoFactory.createPrivateKeyInfo(secretKey).getEncoded());
            lines.add(String.join("\t", fields));
        }
        Files.write(Path.of(arguments[1]), lines);
        System.out.println("Bouncy Castle: " + lines.size() + " equal keys, " + lines.size()
                + " signatures verified, " + lines.size() + " documents of public keys and "
                + lines.size() + " of secret keys read");
    }
}
