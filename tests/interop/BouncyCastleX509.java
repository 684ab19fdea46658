// Exchanges certificates, certificate requests and revocation lists, as PEM files. src/x509.rs has
// the file names. Verifies those in OURS, and checks that each is refused with a changed byte. Then
// writes its own documents to THEIRS.
//
//   java -cp 'FOLDER/*' BouncyCastleX509.java OURS THEIRS
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.Security;
import java.time.Instant;
import java.util.Date;
import org.bouncycastle.asn1.ASN1Object;
import org.bouncycastle.asn1.ASN1Primitive;
import org.bouncycastle.asn1.ASN1Sequence;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.CRLNumber;
import org.bouncycastle.asn1.x509.CRLReason;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.Extensions;
import org.bouncycastle.asn1.x509.ExtensionsGenerator;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.X509CRLHolder;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.X509v2CRLBuilder;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.ContentVerifierProvider;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.operator.jcajce.JcaContentVerifierProviderBuilder;
import org.bouncycastle.pkcs.PKCS10CertificationRequest;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequestBuilder;
import org.bouncycastle.pqc.jcajce.provider.BouncyCastlePQCProvider;
import org.bouncycastle.pqc.jcajce.spec.FalconParameterSpec;

class BouncyCastleX509 {
    static final String PROVIDER = "BCPQC";
    static final String[] KINDS = {"certificate", "request", "revocation-list"};

    static void require(boolean condition, String what) {
        if (!condition) {
            throw new IllegalStateException(what);
        }
    }

    static Object read(Path file) throws IOException {
        try (PEMParser parser = new PEMParser(new StringReader(Files.readString(file)))) {
            return parser.readObject();
        }
    }

    static void write(Path file, Object document) throws IOException {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(document);
        }
        Files.writeString(file, text.toString());
    }

    static ContentVerifierProvider verifier(SubjectPublicKeyInfo key) throws Exception {
        return new JcaContentVerifierProviderBuilder().setProvider(PROVIDER).build(key);
    }

    /** Returns whether the signature of a document is valid. `key` is the issuer's key. */
    static boolean isValid(String kind, byte[] der, SubjectPublicKeyInfo key) throws Exception {
        switch (kind) {
            case "certificate":
                return new X509CertificateHolder(der).isSignatureValid(verifier(key));
            case "request":
                var request = new PKCS10CertificationRequest(der);
                return request.isSignatureValid(verifier(request.getSubjectPublicKeyInfo()));
            default:
                return new X509CRLHolder(der).isSignatureValid(verifier(key));
        }
    }

    /** Returns whether a document can be read and its signature is valid. */
    static boolean isAccepted(String kind, byte[] der, SubjectPublicKeyInfo key) {
        try {
            return isValid(kind, der, key);
        } catch (Exception refusal) {
            return false;
        }
    }

    static byte[] encoded(Object document) throws IOException {
        if (document instanceof X509CertificateHolder it) {
            return it.getEncoded();
        } else if (document instanceof PKCS10CertificationRequest it) {
            return it.getEncoded();
        } else {
            return ((X509CRLHolder) document).getEncoded();
        }
    }

    static void verifyOurs(Path folder, String set) throws Exception {
        var root = (X509CertificateHolder) read(folder.resolve(set + ".certificate.pem"));
        var key = root.getSubjectPublicKeyInfo();
        for (String kind : KINDS) {
            Object document = read(folder.resolve(set + "." + kind + ".pem"));
            byte[] der = encoded(document);
            require(isValid(kind, der, key), set + ": an invalid signature of a " + kind);
            // A bit near the start of the signature, one near its end, and one of the name.
            int name = new String(der, "ISO-8859-1").indexOf("Aerie");
            int signature = der.length - (set.equals("Falcon-512") ? 600 : 1200);
            for (int at : new int[] {signature, der.length - 200, name}) {
                require(at > 0, set + ": a " + kind + " is too short");
                byte[] changed = der.clone();
                changed[at] ^= 1;
                require(!isAccepted(kind, changed, key), set + ": a changed " + kind);
            }
        }
        require(root.isValidOn(Date.from(Instant.parse("2025-06-01T00:00:00Z"))), "not valid");
        require(BasicConstraints.fromExtensions(root.getExtensions()).isCA(), "no authority");
        require(KeyUsage.fromExtensions(root.getExtensions())
                .hasUsages(KeyUsage.keyCertSign | KeyUsage.cRLSign), "other usages");
        // The key identifier follows RFC 5280, method 1.
        var identifier = new JcaX509ExtensionUtils().createSubjectKeyIdentifier(key);
        require(root.getExtension(Extension.subjectKeyIdentifier).getParsedValue()
                .equals(identifier.toASN1Primitive()), "another identifier of the key");
        var request = (PKCS10CertificationRequest) read(folder.resolve(set + ".request.pem"));
        require(request.getAttributes().length == 0, "attributes in a request");
        var list = (X509CRLHolder) read(folder.resolve(set + ".revocation-list.pem"));
        require(list.getIssuer().equals(root.getSubject()), "another issuer");
        require(list.getRevokedCertificate(BigInteger.valueOf(42)) != null, "42 is not revoked");
        require(list.getRevokedCertificate(BigInteger.valueOf(41)) == null, "41 is revoked");
    }

    static void writeTheirs(Path folder, String set, FalconParameterSpec spec) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("Falcon", PROVIDER);
        generator.initialize(spec);
        KeyPair pair = generator.generateKeyPair();
        ContentSigner signer =
                new JcaContentSignerBuilder(set).setProvider(PROVIDER).build(pair.getPrivate());
        X500Name name = new X500Name("C=DE,O=Bouncy Aerie,CN=Root of " + set);
        Date start = Date.from(Instant.parse("2025-01-01T00:00:00Z"));
        Date end = Date.from(Instant.parse("2055-01-01T00:00:00Z"));
        var utilities = new JcaX509ExtensionUtils();

        var certificate = new JcaX509v3CertificateBuilder(
                name, BigInteger.valueOf(4711), start, end, name, pair.getPublic())
                .addExtension(Extension.basicConstraints, true, new BasicConstraints(true))
                .addExtension(Extension.keyUsage, true,
                        new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign))
                .addExtension(Extension.subjectKeyIdentifier, false,
                        utilities.createSubjectKeyIdentifier(pair.getPublic()))
                .build(signer);
        write(folder.resolve(set + ".certificate.pem"), certificate);

        var asked = new ExtensionsGenerator();
        asked.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
        var request = new JcaPKCS10CertificationRequestBuilder(
                new X500Name("C=DE,O=Bouncy Aerie,CN=Eyas"), pair.getPublic())
                .addAttribute(PKCSObjectIdentifiers.pkcs_9_at_extensionRequest, asked.generate())
                .build(signer);
        write(folder.resolve(set + ".request.pem"), request);

        var list = new X509v2CRLBuilder(name, start);
        list.setNextUpdate(end);
        list.addCRLEntry(BigInteger.valueOf(42), start, CRLReason.keyCompromise);
        list.addCRLEntry(BigInteger.valueOf(43), start, CRLReason.unspecified);
        list.addExtension(Extension.cRLNumber, false, new CRLNumber(BigInteger.valueOf(7)));
        list.addExtension(Extension.authorityKeyIdentifier, false,
                utilities.createAuthorityKeyIdentifier(pair.getPublic()));
        write(folder.resolve(set + ".revocation-list.pem"), list.build(signer));
    }

    public static void main(String[] arguments) throws Exception {
        Security.addProvider(new BouncyCastlePQCProvider());
        Path ours = Path.of(arguments[0]);
        Path theirs = Files.createDirectories(Path.of(arguments[1]));
        verifyOurs(ours, "Falcon-512");
        verifyOurs(ours, "Falcon-1024");
        writeTheirs(theirs, "Falcon-512", FalconParameterSpec.falcon_512);
        writeTheirs(theirs, "Falcon-1024", FalconParameterSpec.falcon_1024);
        System.out.println("Bouncy Castle: 6 documents of X.509 verified, 18 changed ones refused");
    }
}
